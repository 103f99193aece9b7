"""What a visitor of a class finds on the pages, and what is the teacher's alone."""

import shutil
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from pages.frame import cached, interrupts
from pages.frame.service import OWNER, Visitor
from tests.classroom.serving import serve
from tests.pages.conftest import ROOT

ANN, BEN = Visitor("Ann"), Visitor("Ben")
RUN = "runs/Ann/mine"
ALONE_IN_CLASS = "In a class, experiments are run by the teacher."


@pytest.fixture
def visited_by(monkeypatch, tmp_path):
    """Return a function that says who looks at a class in which Ann has a run."""
    monkeypatch.setattr(cached, "OWN", tmp_path)
    shutil.copytree(ROOT / "gallery" / "copy", ANN.folder(tmp_path) / "mine")
    return lambda visitor: serve(monkeypatch, visitor)


def said(at):
    return "\n".join(each.value for each in (*at.caption, *at.markdown))


def offered(at):
    """Return what all boxes offer; what a model does follows its name."""
    return [option.partition(":")[0] for box in at.selectbox for option in box.options]


@pytest.mark.parametrize("page", ["attention", "training"])
def test_anothers_run_is_on_no_page(visited_by, open_page, page):
    visited_by(BEN)
    assert RUN not in offered(open_page(page, model=RUN, training="watch", runs=RUN))
    visited_by(ANN)
    assert RUN in offered(open_page(page, model=RUN, training="watch", runs=RUN))


def test_experiments_are_run_by_the_teacher(visited_by, open_page):
    visited_by(ANN)
    at = open_page("experiments", model=None)
    assert ALONE_IN_CLASS in said(at)
    assert not [each for each in at.button if each.key == "experiment_start"]
    visited_by(OWNER)
    at = open_page("experiments", model=None)
    assert ALONE_IN_CLASS not in said(at)
    assert [each for each in at.button if each.key == "experiment_start"]


def test_nothing_of_a_visitors_is_kept_beside_a_run_of_the_gallery(visited_by):
    visited_by(ANN)
    assert not cached.may_write(cached.GALLERY / "copy")
    assert cached.may_write(ANN.folder(cached.OWN) / "mine")
    visited_by(OWNER)
    assert cached.may_write(cached.GALLERY / "copy")


def test_a_training_that_is_too_large_says_so_before_it_is_started(visited_by, open_page):
    visited_by(ANN)
    at = open_page("training", model=None, training="set_up", size="medium")
    assert "too many parameters" in at.error[0].value
    assert at.button(key="start").disabled


@pytest.mark.parametrize("visitor", [OWNER, ANN, None])
def test_the_teachers_page_is_among_the_pages_of_the_teacher_alone(
    visited_by, open_app, monkeypatch, visitor
):
    found = []

    def navigation(given, **_how):
        found.extend(page.url_path for page in given)
        return SimpleNamespace(url_path="glossary", run=lambda: None)

    monkeypatch.setattr("streamlit.navigation", navigation)
    if visitor is not None:
        visited_by(visitor)
    open_app()
    assert "glossary" in found
    assert ("visitors" in found) == (visitor == OWNER)


def test_a_page_and_its_parts_are_drawn_when_it_is_their_turn(visited_by, open_app, monkeypatch):
    served = visited_by(ANN)
    held, drawn, draw = [], [], interrupts.interruptible

    @contextmanager
    def computing():
        held.append(1)
        yield
        held.pop()

    @contextmanager
    def interruptible():
        drawn.append(len(held))
        with draw():
            yield

    monkeypatch.setattr(served, "computing", computing)
    monkeypatch.setattr(interrupts, "interruptible", interruptible)
    open_app(view="pass")
    # The page, and its view, which is drawn in a part of its own.
    assert drawn == [1, 2]
    assert not held
