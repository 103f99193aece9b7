"""What is under way in a class is stopped by its teacher."""

import pytest

from core.training import line, process
from pages.frame import cached
from tests.holding import held_elsewhere
from tests.pages.conftest import ROOT


@pytest.fixture
def asked(monkeypatch):
    """Which runs were asked to stop."""
    found = []
    monkeypatch.setattr(process, "stop", found.append)
    return found


def test_a_training_is_shown_with_its_steps_and_stopped(a_class, open_page, said, asked):
    run = a_class("Ann", "mine")
    (run / "status.json").write_text('{"state": "running", "step": 850}')
    with held_elsewhere(run):
        at = open_page("visitors", model=None)
        assert "1 training or measurement under way, 0 in line" in said(at)
        assert "runs/Ann/mine · step 850 of 850" in said(at)
        at.button(key="end runs/Ann/mine").click().run()
    assert asked == [run]


def test_who_waits_is_shown_in_order_and_taken_out_of_the_line(a_class, open_page, said):
    first, second = a_class("Ben", "first"), a_class("Ann", "second")
    line.enter(first)
    line.enter(second)
    at = open_page("visitors", model=None)
    assert "0 trainings or measurements under way, 2 in line" in said(at)
    assert "runs/Ann/second · waits, place 2" in said(at)
    at.button(key="end runs/Ben/first").click().run()
    assert line.in_line([first, second]) == [second]
    assert "runs/Ann/second · waits, place 1" in said(at)


def test_what_could_not_be_stopped_is_said(a_class, open_page, said, monkeypatch):
    line.enter(run := a_class("Ann", "mine"))
    monkeypatch.setattr(line, "leave", lambda path: (_ for _ in ()).throw(OSError(28, "Full")))
    at = open_page("visitors", model=None)
    at.button(key="end runs/Ann/mine").click().run()
    assert "That could not be done: No space left on the disk" in said(at)
    assert line.in_line([run]) == [run]
    assert cached.OWN != ROOT / "runs"
