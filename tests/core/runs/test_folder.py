import json
import os
from pathlib import Path

import pytest

from core.model import build
from core.runs.checkpoint import BEST, LIVE, newest_checkpoint, step_of, stops, weights_in
from core.runs.folder import INCOMING, TRAINING, RunFolder
from core.runs.run import RunError, read_settings
from core.tokenizer.byte_level import ByteLevelTokenizer
from core.training.loop import make_optimizer
from tests.holding import held_elsewhere

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


def write_metrics(folder, text):
    folder.path.mkdir(exist_ok=True)
    (folder.path / "metrics.jsonl").write_text(text, encoding="utf-8")


def metrics(folder):
    return (folder.path / "metrics.jsonl").read_text(encoding="utf-8")


def test_a_folder_is_held_as_long_as_the_process_lives_even_killed(folder):
    folder.path.mkdir()
    assert not TRAINING.is_held(folder.path)
    with held_elsewhere(folder.path) as process:
        assert TRAINING.is_held(folder.path)
        with pytest.raises(RunError, match="another process is training"), folder.held():
            pass
        process.kill()
    assert not TRAINING.is_held(folder.path)
    with folder.held():
        assert TRAINING.is_held(folder.path)


def test_nothing_is_written_into_a_folder_that_took_the_place_of_the_held_one(folder, copy_run):
    folder.path.mkdir()
    with folder.held():
        folder.write_status("running", 1)
        folder.path.rename(folder.path.with_name("moved"))
        other = RunFolder(folder.path)
        other.path.mkdir()
        before = {file.name: file.read_bytes() for file in folder.path.iterdir()}
        for write in (
            lambda: folder.write_status("running", 2),
            lambda: folder.add_metrics({"step": 2}),
            lambda: folder.write_words({"a"}),
            lambda: folder.keep_best(copy_run.model, 2),
            lambda: folder.snapshot(copy_run.model, 2, {"a"}),
        ):
            with pytest.raises(RunError, match="removed or replaced"):
                write()
    after = {file.name: file.read_bytes() for file in folder.path.iterdir()}
    assert {name: content for name, content in after.items() if name != ".lock"} == before


def steps_in(folder, name):
    return [step_of(file) for file in weights_in(folder.path, name)]


def test_only_the_last_two_live_weights_stay(folder, copy_run):
    folder.path.mkdir()
    for step in (2, 4, 6):
        folder.keep_live(copy_run.model, step, {"a"})
        folder.snapshot(copy_run.model, step, {"a"})
    assert steps_in(folder, LIVE) == [4, 6]
    assert stops(folder.path) == (0, 2, 4, 6)
    folder.forget_after(4)
    assert stops(folder.path) == (0, 2, 4)
    folder.drop_live()
    assert steps_in(folder, LIVE) == []


def test_former_best_weights_stay_until_a_checkpoint_is_past_the_new_ones(folder, copy_run):
    """Training that goes back to its checkpoint must find what was the best then."""
    folder.path.mkdir()
    model = build(copy_run.settings.model)
    optimizer = make_optimizer(model, copy_run.settings.training)
    folder.keep_best(model, 2)
    folder.keep_best(model, 4)
    folder.checkpoint(model, optimizer, 5, {"a"})
    assert steps_in(folder, BEST) == [4]
    folder.keep_best(model, 7)
    folder.keep_best(model, 8)
    assert steps_in(folder, BEST) == [4, 7, 8]
    folder.forget_after(5)
    assert steps_in(folder, BEST) == [4]


def test_a_run_begins_with_its_settings_and_tokenizer(folder, copy_run):
    folder.path.mkdir()
    found = sorted(each.name for each in folder.path.iterdir())
    assert found == ["run.json", "tokenizer.json"]
    assert read_settings(folder.path) == copy_run.settings
    text = (folder.path / "tokenizer.json").read_text(encoding="utf-8")
    assert (
        ByteLevelTokenizer.from_json(text).encode("a b").ids == copy_run.tokenizer.encode("a b").ids
    )


def test_nothing_stands_under_a_runs_name_before_it_is_whole(folder, copy_run):
    def killed(room):
        assert not folder.path.exists()
        (room / "pairs.tsv").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.begin(copy_run.settings, copy_run.tokenizer, killed)
    assert list(folder.path.parent.iterdir()) == []
    # One that is killed without a word leaves what is in nobody's way.
    (folder.path.parent / f"{INCOMING}left").mkdir()
    folder.path.mkdir()
    assert read_settings(folder.path) == copy_run.settings
    assert folder.path.stat().st_mode & 0o777 == 0o755


def test_a_name_that_is_taken_meanwhile_is_refused_and_left_alone(folder, copy_run):
    def taken(_room):
        folder.path.mkdir()
        (folder.path / "run.json").write_text("mine")

    with pytest.raises(FileExistsError, match="run exists already"):
        folder.begin(copy_run.settings, copy_run.tokenizer, taken)
    assert [each.name for each in folder.path.parent.iterdir()] == [folder.path.name]
    assert (folder.path / "run.json").read_text() == "mine"


def test_an_empty_folder_can_become_a_run(folder, copy_run):
    folder.path.mkdir()
    folder.path.mkdir()
    assert read_settings(folder.path) == copy_run.settings


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "run.json"])
def test_a_folder_with_something_in_it_is_refused_and_left_alone(folder, copy_run, name):
    folder.path.mkdir()
    (folder.path / name).write_text("mine")
    with pytest.raises(FileExistsError, match="run exists already"):
        folder.path.mkdir()
    assert [each.name for each in folder.path.iterdir()] == [name]
    assert (folder.path / name).read_text() == "mine"


def test_a_file_in_the_runs_place_is_refused(folder, copy_run):
    folder.path.write_text("mine")
    with pytest.raises(FileExistsError, match="run exists already"):
        folder.path.mkdir()
    assert folder.path.read_text() == "mine"


def checkpoints(folder):
    return sorted(each.name for each in (folder.path / "checkpoints").iterdir())


def test_a_checkpoint_takes_the_place_of_the_one_before(folder, copy_run):
    folder.path.mkdir()
    model = build(copy_run.settings.model)
    optimizer = make_optimizer(model, copy_run.settings.training)
    for step in (10, 20):
        folder.checkpoint(model, optimizer, step, {"b", "a"})
        assert checkpoints(folder) == [
            f"step-000000{step}.safetensors",
            f"step-000000{step}.state.safetensors",
        ]
        assert (folder.path / "words.txt").read_text() == "a\nb"


def test_a_checkpoint_whose_weights_cannot_be_written_leaves_the_one_before(
    folder, copy_run, monkeypatch
):
    folder.path.mkdir()

    def fail(*_):
        raise OSError("no space left")

    model = build(copy_run.settings.model)
    optimizer = make_optimizer(model, copy_run.settings.training)
    folder.checkpoint(model, optimizer, 10, set())
    monkeypatch.setattr("core.runs.folder.save_weights", fail)
    with pytest.raises(OSError, match="no space"):
        folder.checkpoint(model, optimizer, 20, set())
    assert newest_checkpoint(folder.path).name == "step-00000010.safetensors"
    assert "step-00000010.state.safetensors" in checkpoints(folder)


def test_the_same_step_again_keeps_its_checkpoint(folder, copy_run):
    folder.path.mkdir()
    model = build(copy_run.settings.model)
    optimizer = make_optimizer(model, copy_run.settings.training)
    folder.checkpoint(model, optimizer, 10, set())
    folder.checkpoint(model, optimizer, 10, set())
    assert len(checkpoints(folder)) == 2


def test_metrics_are_one_json_object_a_line(folder):
    folder.path.mkdir()
    folder.add_metrics({"step": 1, "loss": 2.5})
    folder.add_metrics({"step": 2, "loss": None})
    lines = metrics(folder).split("\n")
    assert [json.loads(line) for line in lines[:-1]] == [
        {"step": 1, "loss": 2.5},
        {"step": 2, "loss": None},
    ]
    assert lines[-1] == ""


@pytest.mark.parametrize(
    "rest", ["", '{"step": 2, "lo', '{"step": 3}', "\n".join(['{"step": 3}', '{"st'])]
)
def test_metrics_after_a_step_or_cut_off_are_forgotten(folder, rest):
    kept = '{"step": 1}\n{"step": 2}\n'
    write_metrics(folder, kept + rest)
    folder.forget_after(2)
    assert metrics(folder) == kept


def test_status_tells_state_step_and_process(folder):
    folder.path.mkdir()
    folder.write_status("running", 12)
    status = json.loads((folder.path / "status.json").read_text())
    assert (status["state"], status["step"], status["pid"]) == ("running", 12, os.getpid())
    assert isinstance(status["heartbeat"], float)
