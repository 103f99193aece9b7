"""On a full disk, or one that has turned read-only, pages say so in a sentence and lose nothing."""

from html import unescape

import pytest

from core.files import state_of
from pages.views.training import open_model
from tests.broken_disk import FULL, READ_ONLY, broken
from tests.core.families.folders import write_folder
from tests.pages.conftest import said
from tests.pages.views.training.runs_page import press, take_in

TELLS = {FULL: "No space left on the disk", READ_ONLY: "Read-only file system"}
on_both = pytest.mark.parametrize("code", TELLS)


def told(at, own_runs, text):
    """Require one sentence on a page, without a path of the server."""
    assert not at.exception
    shown = unescape(said(at))
    assert text in shown
    assert str(own_runs) not in shown
    assert "Traceback" not in shown


def contents(folder):
    return {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@on_both
def test_an_archive_that_cannot_be_unpacked_is_said(open_runs, own_copy, archive, code):
    own_runs, before = own_copy.parent, contents(own_copy)
    at = open_runs()
    with broken(own_runs, code, 3) as disk:
        take_in(at, archive)
    assert disk.failed
    told(at, own_runs, f"Nothing was added: {TELLS[code]}.")
    assert [each.name for each in own_runs.glob("[!.]*")] == ["mine"]
    assert contents(own_copy) == before
    take_in(at, archive)
    assert sorted(each.name for each in own_runs.glob("[!.]*")) == ["gift", "mine"]


def test_a_run_that_cannot_be_deleted_is_said(open_runs, own_runs, own_copy):
    before = contents(own_copy)
    at = open_runs(runs="runs/mine")
    with broken(own_runs, READ_ONLY):
        press(at, "Delete runs&#47;mine")
    told(at, own_runs, f"It was not deleted: {TELLS[READ_ONLY]}.")
    assert contents(own_copy) == before


@on_both
def test_a_model_that_cannot_be_opened_is_said(open_runs, own_runs, tmp_path, code):
    write_folder(tmp_path / "tiny-gpt", "gpt2")
    at = open_runs()
    at.text_input(key=open_model.SOURCE).set_value(str(tmp_path / "tiny-gpt")).run()
    with broken(own_runs, code):
        press(at, "Open it")
    told(at, own_runs, f"Nothing was opened: {TELLS[code]}.")
    assert list(own_runs.iterdir()) == []


def test_a_folder_of_runs_that_vanishes_leaves_the_gallery(open_runs, own_runs, own_copy):
    at = open_runs(runs="runs/mine")
    before = state_of(own_copy / "run.json")
    own_runs.rename(own_runs.with_name("elsewhere"))
    told(at.run(), own_runs, " models. ")
    own_runs.with_name("elsewhere").rename(own_runs)
    told(at.run(), own_runs, "runs/mine")
    assert state_of(own_copy / "run.json") == before
