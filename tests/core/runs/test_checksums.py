"""A run at rest lists what it holds; what does not fit is refused by name."""

import json
import shutil
import threading

import pytest

from core.runs.archive import archive_run
from core.runs.checksums import changing, check_listed, forget_list, list_run
from core.runs.files import CHECKSUMS, RunError, is_there, listed, read_metrics, read_text
from core.runs.records import read_record
from core.runs.run import load_run
from core.runs.unpack import unpack_run
from core.runs.weights import newest_checkpoint
from core.studies.effects.head_effects import HeadEffects, head_effects
from core.studies.effects.stored import store_effects, stored_effects
from core.training.export import export_run
from core.training.extend import extend_run
from core.training.trainer import train_run


@pytest.fixture
def whole(run):
    list_run(run)
    return run


def another(path, name):
    """Write other content of the same form, as a flipped bit may."""
    text = (path / name).read_text()
    digit = next(each for each in reversed(text) if each.isdigit())
    before, _, after = text.rpartition(digit)
    (path / name).write_text(before + str((int(digit) + 1) % 10) + after)


def test_a_run_lists_all_that_it_holds_but_what_its_process_tells(whole):
    files = {str(each.relative_to(whole)) for each in whole.rglob("*") if each.is_file()}
    assert files - listed(whole).keys() == {CHECKSUMS, "status.json", ".lock"}
    check_listed(whole)
    assert load_run(whole).damage == ""


@pytest.mark.parametrize("name", ["run.json", "tokenizer.json"])
def test_another_file_is_refused_by_name(whole, name):
    another(whole, name)
    with pytest.raises(RunError, match=rf"{name} is damaged: it is not what checksums\.json lists"):
        load_run(whole)
    with pytest.raises(RunError, match=name):
        check_listed(whole)
    forget_list(whole)
    load_run(whole)


def test_another_figure_is_refused_by_name(whole):
    another(whole, "metrics.jsonl")
    for read in (read_record, read_metrics):
        with pytest.raises(RunError, match=r"metrics\.jsonl is damaged"):
            read(whole)


def test_a_missing_file_is_named(whole):
    (whole / "metrics.jsonl").unlink()
    assert "metrics.jsonl is missing" in load_run(whole).damage
    with pytest.raises(RunError, match=r"metrics\.jsonl is missing"):
        read_record(whole)


def test_missing_weights_are_named(whole):
    newest_checkpoint(whole).unlink()
    with pytest.raises(RunError, match=r"checkpoints/step-\d+\.safetensors is missing"):
        load_run(whole)


def test_weights_under_the_name_of_another_step_are_refused(whole):
    newest = newest_checkpoint(whole)
    shutil.copy(newest, newest.with_name("step-00000077.safetensors"))
    with pytest.raises(RunError, match=r"step-00000077\.safetensors is not among the weights"):
        load_run(whole)
    newest.with_name("step-00000077.safetensors").unlink()
    shutil.copy(whole / "snapshots" / "step-00000010.safetensors", newest)
    with pytest.raises(RunError, match=r"step-00000030\.safetensors is damaged"):
        load_run(whole)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"run.json": 3}', '{"a": "\0'])
def test_a_damaged_list_is_named(whole, content):
    (whole / CHECKSUMS).write_text(content)
    with pytest.raises(RunError, match=r"checksums\.json is damaged"):
        load_run(whole)


def test_a_run_of_before_is_read_unchecked(run):
    another(run, "metrics.jsonl")
    assert not is_there(run, "nothing")
    check_listed(run)
    assert read_metrics(run)


def test_what_is_measured_is_listed_whenever_it_comes(whole):
    found = load_run(whole)
    effects = HeadEffects(tuple(head_effects(found, 4)), 4, 0, found.step)
    before = listed(whole)
    store_effects(whole, effects)
    assert listed(whole).keys() - before.keys() == {"heads.json"}
    check_listed(whole)
    another(whole, "heads.json")
    with pytest.raises(RunError, match=r"heads\.json is damaged"):
        stored_effects(found)


def test_where_nothing_was_listed_a_measurement_lists_nothing(run):
    with changing(run, "NOTICE"):
        (run / "NOTICE").write_text("Of nobody.")
    assert not (run / CHECKSUMS).exists()


def test_what_is_broken_off_while_it_is_written_is_not_compared(whole):
    with pytest.raises(OSError, match="full"), changing(whole, "run.json", "metrics.jsonl"):
        another(whole, "metrics.jsonl")
        raise OSError("full")
    assert {"run.json", "metrics.jsonl"}.isdisjoint(listed(whole))
    assert read_record(whole)
    check_listed(whole)


def test_whoever_reads_while_files_change_is_never_refused(whole):
    ended, seen = threading.Event(), []

    def read():
        while not ended.is_set():
            try:
                seen.append(read_text(whole, "words.txt"))
            except RunError as error:
                seen.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(100):
        with changing(whole, "words.txt"):
            new = whole / "words.new"
            new.write_text(str(number))
            new.replace(whole / "words.txt")
    ended.set()
    reader.join()
    assert not [each for each in seen if isinstance(each, RunError)]
    assert len(set(seen)) > 1


def test_two_who_measure_at_once_are_both_listed(whole):
    names = [f"{name}.json" for name in ("heads", "pruning", "evaluation", "tokenizer")]

    def write(name):
        for number in range(30):
            with changing(whole, name):
                (whole / name).write_text(f'{{"n": {number}}}')

    threads = [threading.Thread(target=write, args=(name,)) for name in names]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert listed(whole).keys() >= set(names)
    check_listed(whole)
    assert not list(whole.glob(".checksums*"))


def test_who_measures_while_a_training_ends_or_begins_is_never_refused(whole):
    (whole / "heads.json").write_text("{}")
    ended, seen = threading.Event(), []

    def train():
        while not ended.is_set():
            forget_list(whole)
            list_run(whole)

    training = threading.Thread(target=train)
    training.start()
    for number in range(100):
        with changing(whole, "heads.json"):
            new = whole / "heads.new"
            new.write_text(f'{{"n": {number}}}')
            new.replace(whole / "heads.json")
        try:
            seen.append(read_text(whole, "heads.json"))
        except RunError as error:
            seen.append(error)
    ended.set()
    training.join()
    assert not [each for each in seen if isinstance(each, RunError)]
    check_listed(whole)


def test_a_damaged_run_does_not_go_on(prepare, tmp_path):
    path = prepare(tmp_path / "run", steps=6)
    for _ in train_run(path):
        pass
    check_listed(path)
    extend_run(path, 9)
    check_listed(path)
    kept = (path / "words.txt").read_bytes()
    (path / "words.txt").write_bytes(kept + b"\nx")
    with pytest.raises(RunError, match=r"words\.txt is damaged"):
        next(train_run(path))
    (path / "words.txt").write_bytes(kept)
    for _ in train_run(path):
        assert not (path / CHECKSUMS).exists()
    check_listed(path)


def test_the_list_goes_with_a_run_that_is_given_away(whole, tmp_path):
    archive_run(whole, tmp_path / "run.zip")
    taken = unpack_run((tmp_path / "run.zip").read_bytes(), tmp_path / "others")
    assert listed(taken) == listed(whole)
    export_run(whole, tmp_path / "small", snapshots=[10])
    assert "snapshots/step-00000010.safetensors" in listed(tmp_path / "small")
    check_listed(tmp_path / "small")


def test_a_damaged_run_is_not_given_away(whole, tmp_path):
    another(whole, "metrics.jsonl")
    for give in (archive_run, export_run):
        with pytest.raises(RunError, match=r"metrics\.jsonl is damaged"):
            give(whole, tmp_path / give.__name__)


def test_an_archive_whose_files_do_not_fit_its_list_is_refused(whole, tmp_path):
    stored = json.loads((whole / CHECKSUMS).read_text())
    (whole / CHECKSUMS).write_text(json.dumps(stored | {"heads.json": "0"}))
    (whole / "heads.json").write_text("{}")
    with pytest.raises(RunError, match=r"heads\.json is damaged"):
        archive_run(whole, tmp_path / "run.zip")
    (whole / "heads.json").unlink()
    with pytest.raises(RunError, match=r"heads\.json is missing"):
        archive_run(whole, tmp_path / "run.zip")
