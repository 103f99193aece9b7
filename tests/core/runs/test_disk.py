"""The disk is full, or turns read-only, at each change in turn: it is said, and nothing is lost.

    pytest -m slow -s tests/core/runs/test_disk.py

prints how many changes each kind of work makes, each of which was refused once.
"""

import hashlib
import shutil
from functools import partial

import pytest

from core.evaluate.evaluation import evaluate
from core.runs.archive import archive_run, unpack_run
from core.runs.files import is_run
from core.runs.folder import delete_run, rename_run
from core.runs.own_text import give_text
from core.runs.run import RunError, load_run
from core.studies.effects.head_effects import HeadEffects, head_effects
from core.studies.effects.measuring import store_effects
from core.studies.opening.opening import open_model
from core.tasks import TASKS
from core.training import export, trainer
from core.training.export import export_run
from core.training.prepare import extend_run, prepare_run
from core.training.presets import Preset
from tests.broken_disk import FULL, READ_ONLY, broken

TELLS = {FULL: "No space left on device", READ_ONLY: "Read-only file system"}


@pytest.fixture(scope="module")
def good(copy_folder, miniature, opened_path, tmp_path_factory):
    """A folder of runs, with what else is needed beside it; whoever changes it copies it."""
    found = tmp_path_factory.mktemp("good")
    mine = shutil.copytree(copy_folder, found / "runs" / "mine")
    shutil.copytree(copy_folder, found / "runs" / "other")
    prepare_run(found / "runs" / "begun", TASKS["copy"], "miniature", small(miniature), "train")
    archive_run(mine, found / "mine.zip")
    opened = opened_path("gpt2")
    shutil.copytree(opened.parent / ".models" / "gpt2", found / "model")
    shutil.copytree(opened, found / "runs" / "opened")
    return found


def small(miniature):
    training = {"steps": 2, "evaluate_every": 2, "checkpoint_every": 1, "batch_size": 2}
    config = type(miniature.training).from_dict({**miniature.training.to_dict(), **training})
    return Preset(miniature.model, config, miniature.vocab_size)


def measured(path):
    run = load_run(path)
    effects = HeadEffects(tuple(head_effects(run, 2)), 2, 0, run.step)
    return lambda: store_effects(run, effects)


WORK = {
    "writing settings": lambda at, sizes: prepare_run(
        at / "runs" / "new", TASKS["copy"], "miniature", small(sizes), "train"
    ),
    "changing settings": lambda at, _: extend_run(at / "runs" / "mine", 40),
    "training": lambda at, _: list(trainer.train_run(at / "runs" / "begun")),
    "training and measuring": lambda at, _: list(trainer.complete_run(at / "runs" / "begun")),
    "exporting": lambda at, _: export_run(at / "runs" / "mine", at / "runs" / "small"),
    "packing": lambda at, _: archive_run(at / "runs" / "mine", at / "runs" / "mine.zip"),
    "unpacking": lambda at, _: unpack_run((at / "mine.zip").read_bytes(), at / "runs"),
    "opening a model": lambda at, _: list(
        open_model(str(at / "model"), at / "runs" / "opened again")
    ),
    "keeping a measurement": lambda at, _: measured(at / "runs" / "mine")(),
    "keeping text": lambda at, _: give_text(at / "runs" / "opened", b"One two.\nThree.\n", "x"),
    "renaming": lambda at, _: rename_run(at / "runs" / "mine", "yours"),
    "deleting": lambda at, _: delete_run(at / "runs" / "mine"),
}
MAY_CHANGE = {
    "training": "begun",
    "training and measuring": "begun",
    "changing settings": "mine",
    "keeping a measurement": "mine",
    "keeping text": "opened",
    "renaming": "mine",
    "deleting": "mine",
}
"""Work → the run that it may change."""


def sums(runs, but):
    files = (each for each in runs.rglob("*") if each.is_file() and each.name != ".lock")
    found = {each.relative_to(runs): each for each in files}
    return {
        name: hashlib.sha256(each.read_bytes()).digest()
        for name, each in found.items()
        if name.parts[0] in {"mine", "other", "opened", "begun"} - {but}
    }


def refused(at, name, sizes, code, n):
    """Do some work on a disk that fails after n changes; say whether it was refused."""
    but = MAY_CHANGE.get(name)
    before = sums(at / "runs", but)
    visible = {each.name for each in (at / "runs").iterdir()}
    with broken(at / "runs", code, n) as disk:
        try:
            WORK[name](at, sizes)
            error = None
        except (OSError, RunError) as found:
            error = found
    assert sums(at / "runs", but) == before
    if error is not None:
        assert TELLS[code] in str(error)
        # What is there under a name is whole; what is half made is not there, or no run.
        for each in {each.name for each in (at / "runs").glob("[!.]*")} - visible:
            assert not is_run(at / "runs" / each)
    for each in ("mine", "yours"):
        if is_run(at / "runs" / each):
            load_run(at / "runs" / each)
    return error is not None or disk.failed


def work_on_broken_disks(good, tmp_path, sizes, name, code, moments):
    """Return how many changes were refused, one after the other."""
    for n in moments:
        at = tmp_path / f"{n}"
        shutil.copytree(good, at)
        was_refused = refused(at, name, sizes, code, n)
        if not was_refused:
            return n
        if name.startswith("training"):
            # The disk has room again: it goes on to its end.
            list(trainer.train_run(at / "runs" / "begun"))
            assert load_run(at / "runs" / "begun").step == 2
        shutil.rmtree(at)
    return len(moments)


@pytest.fixture
def few(monkeypatch, few_samples):
    monkeypatch.setattr(trainer, "evaluate", partial(evaluate, n=2))
    monkeypatch.setattr(export, "evaluate", partial(evaluate, n=2))


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
def test_a_disk_that_takes_nothing_is_told_and_nothing_is_lost(
    good, few, tmp_path, miniature, name
):
    # To delete a run is to rename it first, for which a full disk has room.
    code = READ_ONLY if name == "deleting" else FULL
    assert work_on_broken_disks(good, tmp_path, miniature, name, code, range(1)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("code", TELLS)
@pytest.mark.parametrize("name", WORK)
def test_whichever_change_the_disk_refuses_nothing_is_lost(
    good, few, tmp_path, miniature, name, code
):
    n = work_on_broken_disks(good, tmp_path, miniature, name, code, range(1000))
    print(f"{name}: {TELLS[code]} at each of {n} changes")
    assert 0 < n < 1000


def test_a_folder_of_runs_that_vanishes_is_told(good, few, tmp_path, miniature):
    at = shutil.copytree(good, tmp_path / "at")
    training = trainer.train_run(at / "runs" / "begun")
    next(training)
    (at / "runs").rename(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="removed or replaced"):
        list(training)
    for name, why in (("exporting", "no such"), ("packing", "no such"), ("renaming", "no such")):
        with pytest.raises((OSError, RunError), match=f"(?i){why}"):
            WORK[name](at, miniature)
    assert not (at / "runs" / "begun").exists()
    load_run(tmp_path / "elsewhere" / "other")
    # It is there again: the training goes on.
    shutil.rmtree(at / "runs", ignore_errors=True)
    (tmp_path / "elsewhere").rename(at / "runs")
    assert [each.train_step.step for each in trainer.train_run(at / "runs" / "begun")][-1] == 2
