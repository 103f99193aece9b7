import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from core.jobs import job as jobs
from core.runs import folder
from core.runs.folder import TRAINING, RunFolder, delete_run, rename_run
from core.runs.run import RunError, load_run
from tests.holding import held_elsewhere


def names(parent):
    return sorted(path.name for path in parent.iterdir())


def test_a_renamed_run_is_the_same_run_under_its_new_name(run, content_of):
    before = content_of(run)
    renamed = rename_run(run, " new name ")
    assert renamed == run.with_name("new name")
    assert names(run.parent) == ["new name"]
    assert content_of(renamed) == before
    assert load_run(renamed).name == "new name"


CHANGES = [delete_run, lambda path: rename_run(path, "new")]


@contextmanager
def started(run):
    """Let this process have started a training that does not hold the run yet."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as beginning:
        jobs._started[run.resolve(), TRAINING] = beginning
        RunFolder(run).write_status("starting", 0)
        yield
        del jobs._started[run.resolve(), TRAINING]


@pytest.mark.parametrize("at_work", [held_elsewhere, started, lambda run: FileLock(run / "x.lock")])
@pytest.mark.parametrize("change", CHANGES, ids=["delete", "rename"])
def test_a_run_that_a_process_works_on_is_left_alone(run, change, at_work, content_of):
    with at_work(run):
        before = content_of(run)
        with pytest.raises(RunError, match="another process"):
            change(run)
        assert names(run.parent) == ["mine"]
        assert content_of(run) == before
    change(run)
    assert not run.exists()


@pytest.mark.parametrize("there", ["new", "NEW"])
@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_a_name_that_is_taken_in_any_case_of_letters_is_refused(run, there, make, content_of):
    before = content_of(run)
    make(run.with_name(there))
    with pytest.raises(RunError, match="'new' already"):
        rename_run(run, "new")
    assert names(run.parent) == sorted([there, "mine"])
    assert content_of(run) == before


@pytest.mark.parametrize("name", ["MINE", "mine"])
def test_a_run_can_take_its_own_name_in_another_case_of_letters(run, name):
    assert rename_run(run, name) == run.with_name(name)
    assert names(run.parent) == [name]


def test_a_deleted_run_leaves_nothing_and_the_others_alone(run, content_of):
    other = shutil.copytree(run, run.with_name("other"))
    before = content_of(other)
    delete_run(run)
    assert names(run.parent) == ["other"]
    assert content_of(other) == before


def test_what_a_broken_deletion_left_stays_hidden_and_goes_with_the_next(run, monkeypatch):
    other = shutil.copytree(run, run.with_name("other"))

    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(folder.shutil, "rmtree", die)
        with pytest.raises(KeyboardInterrupt):
            delete_run(run)
    hidden, shown = names(run.parent)
    assert (hidden[0], shown) == (".", "other")
    delete_run(other)
    assert names(run.parent) == []


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, lambda path: None])
def test_only_runs_are_renamed_and_deleted(runs, change, make):
    make(runs / "notes")
    before = names(runs)
    with pytest.raises(RunError, match="no such (run|folder)"):
        change(runs / "notes")
    assert names(runs) == before


def test_deleting_a_link_leaves_what_it_leads_to(run, tmp_path, content_of):
    before = content_of(run)
    links = tmp_path / "links"
    links.mkdir()
    (links / "link").symlink_to(run)
    delete_run(links / "link")
    assert names(links) == []
    assert content_of(run) == before
