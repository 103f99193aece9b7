"""What a visitor of a class finds on the pages, and what is the teacher's alone."""

import shutil

import pytest

from pages.classroom import current, settings
from pages.classroom.settings import Classroom
from pages.classroom.visitors import TEACHER, Visitor, admitted
from pages.frame import cached
from tests.pages.conftest import ROOT

ANN, BEN = Visitor("Ann"), Visitor("Ben")
RUN = "runs/Ann/mine"
ALONE_IN_CLASS = "In a class, experiments are run by the teacher."


@pytest.fixture
def visited_by(monkeypatch, tmp_path):
    """Return a function that says who looks at a class in which Ann has a run."""
    monkeypatch.setattr(cached, "OWN", tmp_path)
    admitted(tmp_path, "Ann", "my word")
    shutil.copytree(ROOT / "gallery" / "copy", ANN.folder(tmp_path) / "mine")
    settings.open_classroom(Classroom())
    yield lambda visitor: monkeypatch.setattr(current, "visitor", lambda: visitor)
    settings.open_classroom(None)


def said(at):
    return "\n".join(each.value for each in (*at.caption, *at.markdown))


@pytest.mark.parametrize("page", ["attention", "heads", "decoding", "training", "runs"])
def test_anothers_run_is_on_no_page(visited_by, open_page, page):
    visited_by(BEN)
    at = open_page(page, model=RUN, training="watch", runs=RUN)
    offered = [option for box in at.selectbox for option in box.options]
    assert RUN not in offered
    visited_by(ANN)
    at = open_page(page, model=RUN, training="watch", runs=RUN)
    if page != "runs":
        assert RUN in [option for box in at.selectbox for option in box.options]


def test_experiments_are_run_by_the_teacher(visited_by, open_page):
    visited_by(ANN)
    at = open_page("experiments", model=None)
    assert ALONE_IN_CLASS in said(at)
    assert not [each for each in at.button if each.key == "experiment_start"]
    visited_by(TEACHER)
    at = open_page("experiments", model=None)
    assert ALONE_IN_CLASS not in said(at)
    assert [each for each in at.button if each.key == "experiment_start"]


def test_nothing_of_a_visitors_is_kept_beside_a_run_of_the_gallery(visited_by):
    visited_by(ANN)
    assert not cached.may_write(cached.GALLERY / "copy")
    assert cached.may_write(ANN.folder(cached.OWN) / "mine")
    visited_by(TEACHER)
    assert cached.may_write(cached.GALLERY / "copy")


def test_a_training_that_is_too_large_says_so_before_it_is_started(visited_by, open_page):
    visited_by(ANN)
    at = open_page("training", model=None, training="set_up", size="medium")
    assert "too many parameters" in at.error[0].value
    assert at.button(key="start").disabled
