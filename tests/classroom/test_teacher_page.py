"""What is under way and kept in a class is seen, stopped and deleted by its teacher."""

import shutil
from html import unescape
from pathlib import Path

import pytest
from filelock import FileLock
from streamlit.testing.v1 import AppTest

from classroom.limits import MEGABYTE
from core.runs.folder import TRAINING
from core.studies.effects.measuring import MEASURING
from core.studies.effects.pruning import PRUNING
from core.training import process
from pages.frame import cached
from pages.frame.service import OWNER, Visitor
from tests.classroom.serving import serve
from tests.holding import held_elsewhere
from tests.pages import conftest
from tests.pages.conftest import ROOT


@pytest.fixture
def a_class(monkeypatch, tmp_path):
    """Return a function that gives a visitor a run; the teacher of the class looks."""
    monkeypatch.setattr(cached, "OWN", tmp_path)
    serve(monkeypatch, OWNER)

    def give(visitor, name):
        folder = Visitor(visitor).folder(tmp_path)
        return Path(shutil.copytree(ROOT / "gallery" / "copy", folder / name))

    return give


def _page():
    from classroom import teacher_page
    from pages.frame import service, session

    served = service.current()
    session.enter("visitors")
    teacher_page.render(served.classroom.limits, served.under_way)
    session.write()


def opened(**query):
    """Open the page as a link does."""
    at = AppTest.from_function(_page, default_timeout=60)
    at.query_params.update(query)
    at.run()
    assert not at.exception, at.exception
    return at


def said(at):
    """Return all that stands on a page, as it is read."""
    return unescape(conftest.said(at))


def test_a_training_is_shown_with_its_steps_and_stopped(a_class):
    run = a_class("Ann", "mine")
    (run / "status.json").write_text('{"state": "running", "step": 850}')
    with held_elsewhere(run):
        at = opened()
        assert "1 training or measurement under way, 0 in line" in said(at)
        assert "runs/Ann/mine · step 850 of 850" in said(at)
        at.button(key="end runs/Ann/mine").click().run()
    assert TRAINING.asked(run) == "stop"


@pytest.mark.parametrize("job", [MEASURING, PRUNING])
def test_what_measures_heads_is_asked_to_stop(a_class, job):
    run = a_class("Ann", "mine")
    with FileLock(run / job.files.lock):
        at = opened()
        assert "runs/Ann/mine · its heads are measured" in said(at)
        at.button(key="end runs/Ann/mine").click().run()
        assert job.asked(run) == "stop"


def test_who_waits_is_shown_in_order_and_taken_out_of_the_line(a_class):
    first, second = a_class("Ben", "first"), a_class("Ann", "second")
    process.enqueue(first)
    process.enqueue(second)
    at = opened()
    assert "0 trainings or measurements under way, 2 in line" in said(at)
    assert "runs/Ann/second · waits, place 2" in said(at)
    at.button(key="end runs/Ben/first").click().run()
    assert process.queue([first, second]) == [second]
    assert "runs/Ann/second · waits, place 1" in said(at)


def grow(run, megabytes):
    (run / "words.txt").write_bytes(bytes(megabytes * MEGABYTE))


def test_who_takes_most_comes_first(a_class):
    grow(a_class("Ann", "small"), 1)
    grow(a_class("Ben", "large"), 30)
    at = opened()
    assert "2 visitors. All runs take " in said(at)
    assert "one visitor may have 200 MB" in said(at)
    assert said(at).index("Ben 3") < said(at).index("Ann ")
    [table] = at.dataframe
    assert list(table.value["run"]) == ["runs/Ben/large", "runs/Ann/small"]
    assert list(table.value["visitor"]) == ["Ben", "Ann"]


def test_runs_that_are_ticked_are_deleted_and_no_others(a_class):
    first, second, third = (a_class("Ann", name) for name in ("one", "two", "three"))
    at = opened(visitors_runs=["runs/Ann/one", "runs/Ann/three"])
    at.button(key="visitors_delete").click().run()
    assert [run.exists() for run in (first, second, third)] == [False, True, False]
    assert list(at.dataframe[0].value["run"]) == ["runs/Ann/two"]


def test_a_run_that_is_trained_is_not_deleted_and_that_is_said(a_class):
    run = a_class("Ann", "mine")
    with held_elsewhere(run):
        at = opened(visitors_runs="runs/Ann/mine")
        at.button(key="visitors_delete").click().run()
        assert run.exists()
        assert "Not deleted: runs/Ann/mine: " in said(at)
