"""Models of other libraries become runs, and do there what they do in `transformers`."""

import shlex
import shutil
import time
import zipfile
from pathlib import Path

import pytest
import torch
from transformers import set_seed

from core.__main__ import main as core_main
from core.decoding.sentence import translate
from core.inspection import inspect_sentence
from core.runs.archive import archive_run, unpack_run
from core.runs.own_text import give_text
from core.runs.run import load_run, read_settings
from core.studies.opening.examples import examples_of, longest_and_shortest
from core.studies.opening.opening import HIDDEN, OPENING, being_opened, name_of, open_model, start
from tests.core.library.folders import write_folder

KINDS = ["bert", "bert without a head", "gpt2", "llama", "llama3", "t5", "marian"]
TEXT = "The animal did not cross the street."


ONE_OF_EACH_STACK = ("bert", "gpt2", "marian")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(kind, marks=() if kind in ONE_OF_EACH_STACK else pytest.mark.slow)
        for kind in KINDS
    ],
)
def both(request, tmp_path_factory):
    """A model of `transformers`, and the run that it became."""
    folder = tmp_path_factory.mktemp("opened") / "model"
    theirs = write_folder(folder, request.param).eval()
    shares = list(open_model(str(folder), folder.with_name("run")))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    return theirs, load_run(folder.with_name("run"))


def test_greedy_text_is_that_of_transformers(both):
    theirs, run = both
    if "decoder" not in run.model.config.stacks:
        assert translate(run, TEXT).fed_ids == ()
        return
    found = translate(run, TEXT)
    set_seed(0)
    given = found.source_ids or found.fed_ids[: found.n_given + 1]
    n_new = len(found.target_ids) - found.n_given
    never = [[token] for token in run.model.config.never_said]
    with torch.no_grad():
        made = theirs.generate(
            torch.tensor([given]),
            max_new_tokens=n_new,
            min_new_tokens=n_new,
            do_sample=False,
            num_beams=1,
            forced_eos_token_id=None,
            # Theirs counts the encoder's layers where a decoder has more.
            use_cache=False,
            bad_words_ids=never or None,
            attention_mask=torch.ones(1, len(given), dtype=torch.long),
        )[0].tolist()
    assert tuple(made[: len(found.fed_ids)]) == found.fed_ids


def wait(folder, parent):
    for _ in range(600):
        # Where it failed, the folder stays; else it goes once the work has ended.
        if not OPENING.at_work(folder) and not (folder.exists() and (parent / "mine").exists()):
            return
        time.sleep(0.1)
    raise AssertionError(list(parent.iterdir()))


@pytest.mark.slow
def test_a_process_opens_a_model_and_leaves_only_the_run(tmp_path):
    write_folder(tmp_path / "model", "gpt2")
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        for path in (tmp_path / "model").iterdir():
            archive.write(path, f"model/{path.name}")
    runs = tmp_path / "runs"
    folder = start(str(tmp_path / "m.zip"), runs, "mine")
    assert folder.name == f"{HIDDEN}mine"
    assert name_of(folder) == "mine"
    wait(folder, runs)
    assert [path.name for path in runs.iterdir()] == ["mine"]
    assert being_opened(runs) == []
    assert load_run(runs / "mine").settings.family == "GPT2"


def test_a_mask_token_is_filled_in_with_the_most_probable_word(both):
    theirs, run = both
    found = inspect_sentence(run, "The [MASK] did not cross the [MASK].")
    if run.tokenizer.mask_id < 0 or not run.model.config.has_output:
        assert "decoder" in run.model.config.stacks or found.translation.text == ""
        return
    ids = torch.tensor([found.translation.source_ids])
    with torch.no_grad():
        best = theirs(input_ids=ids).logits[0].argmax(dim=-1)
    filled = torch.where(ids[0] == run.tokenizer.mask_id, best, ids[0]).tolist()
    assert found.translation.text == run.tokenizer.decode(filled)
    assert "[MASK]" not in found.translation.text
    assert inspect_sentence(run, TEXT).translation.text == ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_an_opened_run_is_packed_and_taken_in_as_any(opened_path, kind, tmp_path):
    run = load_run(opened_path(kind))
    assert run.settings.n_parameters == sum(each.numel() for each in run.model.parameters())
    archive_run(run.path, tmp_path / "run.zip")
    again = load_run(unpack_run((tmp_path / "run.zip").read_bytes(), tmp_path / "runs"))
    assert again.settings == run.settings
    one, other = (inspect_sentence(each, TEXT) for each in (run, again))
    assert one.translation == other.translation
    for site, attention in one.attention.items():
        assert (attention.weights_HQK == other.attention[site].weights_HQK).all()


def test_the_command_opens_the_same_model_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "a model", "gpt2")
    list(open_model("a model", Path("runs/mine")))
    command = read_settings(Path("runs/mine")).command
    assert command == "python -m core import 'a model' runs/mine"
    shutil.rmtree("runs/mine")
    assert core_main(shlex.split(command)[3:]) == 0
    assert read_settings(Path("runs/mine")).command == command


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("bert", "The capital of France is [MASK]."),
        ("bert without a head", "The animal did not cross the street because it was too tired."),
        ("gpt2", "The capital of France is"),
        ("marian", "The animal did not cross the street because it was too tired."),
    ],
)
def test_each_kind_begins_with_texts_that_it_can_do_something_with(opened_path, name, first):
    run = load_run(opened_path(name))
    found = examples_of(run)
    assert found[0].source == first
    assert all(inspect_sentence(run, each.source).attention for each in found)


def test_lines_that_were_given_go_before_texts_that_are_offered(opened_path, tmp_path):
    path = shutil.copytree(opened_path("gpt2"), tmp_path / "mine")
    give_text(path, b"it was\na longer line of text\nit was so", "mine.txt")
    assert longest_and_shortest(load_run(path)) == ("a longer line of text", "it was")
