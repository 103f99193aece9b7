"""What can be done with a run: taken in, given away, renamed, deleted."""

from html import unescape
from urllib.parse import parse_qs

import pytest

from core.runs.folder import RunFolder
from pages.views.training import manage
from tests.broken_disk import FULL, broken
from tests.holding import held_elsewhere
from tests.pages.conftest import said
from tests.pages.views.training.runs_page import (
    button,
    change,
    linked,
    press,
    table,
    take_in,
    tick,
    ticked,
)


def new_name(at):
    return next(each for each in at.text_input if each.label.startswith("New name"))


@pytest.mark.slow
def test_one_run_leads_to_its_heads_and_its_training(open_runs, own_copy):
    at = open_runs(runs="runs/mine")
    opened = {link.proto.page: parse_qs(link.proto.query_string) for link in at.get("page_link")}
    assert opened == {
        "attention": {"model": ["runs/mine"]},
        "training": {"training": ["look_back"], "model": ["runs/mine"]},
    }
    change(own_copy / "run.json", lambda run: run["training"].update(steps=900))
    (own_copy / "status.json").write_text('{"state": "paused", "step": 850}')
    _heads, training = at.run().get("page_link")
    assert parse_qs(training.proto.query_string)["training"] == ["watch"]


def test_a_run_of_the_gallery_cannot_be_renamed_or_deleted(open_runs):
    at = open_runs(runs="copy")
    assert "come with the app" in said(at)
    assert not [each for each in at.button if each.label in ("Delete", "Rename")]


def test_a_run_is_renamed_and_stays_chosen(open_runs, own_copy, content_of):
    before = content_of(own_copy)
    at = open_runs(runs="runs/mine")
    press(at, "Rename")
    field = new_name(at)
    assert field.value == "mine"
    field.set_value(" été 2 ")
    press(at, "Rename it")
    assert content_of(own_copy.with_name("été 2")) == before
    assert not own_copy.exists()
    assert linked(at) == ["runs/été 2"]
    assert ticked(at) == ["runs/été 2"]


def test_a_run_is_deleted_only_after_it_was_named_again(open_runs, own_copy):
    at = open_runs(runs="runs/mine")
    assert own_copy.exists()
    assert "gone for good" in said(at)
    press(at, "Delete runs&#47;mine")
    assert not own_copy.exists()
    assert "runs/mine was deleted" in unescape(said(at))
    assert "runs/mine" not in table(at).index
    assert "runs" not in at.query_params


def test_a_run_in_training_is_neither_renamed_nor_deleted(open_runs, own_copy):
    RunFolder(own_copy).write_status("running", 100)
    with held_elsewhere(own_copy):
        at = open_runs(runs="runs/mine")
        assert table(at).loc["runs/mine", "state"] == "running"
        assert button(at, "Rename").disabled
        [deletion] = [each for each in at.get("popover") if each.proto.popover.label == "Delete"]
        assert deletion.proto.popover.disabled


@pytest.mark.slow
def test_what_is_downloaded_can_be_taken_in_again(open_runs, own_copy, content_of):
    before = content_of(own_copy)
    at = open_runs(runs="runs/mine")
    take_in(at, manage.packed(own_copy))
    again = own_copy.with_name("mine-2")
    given_away = {name: content for name, content in content_of(again).items()}
    assert given_away == {name: before[name] for name in given_away}
    assert linked(at) == ["runs/mine-2"]
    assert "Added as runs/mine-2" in unescape(said(at))


@pytest.mark.slow
def test_an_uploaded_archive_is_taken_in_once(open_runs, own_runs, archive):
    at = open_runs()
    take_in(at, archive)
    assert [path.name for path in own_runs.iterdir()] == ["gift"]
    at.run()
    tick(at, "copy")
    assert [path.name for path in own_runs.iterdir()] == ["gift"]
    take_in(at, archive)
    assert sorted(path.name for path in own_runs.iterdir()) == ["gift", "gift-2"]


def test_a_damaged_archive_leaves_nothing(open_runs, own_runs, archive):
    at = open_runs()
    take_in(at, archive[:2000])
    assert list(own_runs.iterdir()) == []
    assert "Nothing was added" in said(at)
    assert str(own_runs) not in unescape(said(at))


def test_an_archive_that_a_full_disk_cannot_hold_is_said_and_leaves_nothing(
    open_runs, own_copy, archive, content_of
):
    own_runs, before = own_copy.parent, content_of(own_copy)
    at = open_runs()
    with broken(own_runs, FULL, 3) as disk:
        take_in(at, archive)
    assert disk.failed
    assert "Nothing was added: No space left on the disk." in unescape(said(at))
    assert [each.name for each in own_runs.glob("[!.]*")] == ["mine"]
    assert content_of(own_copy) == before
