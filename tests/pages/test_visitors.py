"""The teacher's page is hers alone."""

from types import SimpleNamespace

import pytest

from pages.classroom import current, settings
from pages.classroom.settings import Classroom
from pages.classroom.visitors import TEACHER, Visitor
from tests.pages.conftest import said

ANN = Visitor("Ann")
HERS = "This page is for the teacher of a class."


@pytest.fixture
def visited_by(monkeypatch, own_runs):
    """Return a function that says who looks at a class."""
    settings.open_classroom(Classroom())
    yield lambda visitor: monkeypatch.setattr(current, "visitor", lambda: visitor)
    settings.open_classroom(None)


def test_nobody_but_the_teacher_of_a_class_sees_it(visited_by, open_page):
    visited_by(ANN)
    at = open_page("visitors", model=None)
    assert said(at) == HERS
    assert not at.button
    visited_by(TEACHER)
    assert "under way" in said(open_page("visitors", model=None))
    settings.open_classroom(None)
    assert said(open_page("visitors", model=None)) == HERS


@pytest.fixture
def listed(open_app, monkeypatch):
    """Return a function that opens the app and returns its pages."""

    def pages():
        found = []

        def navigation(given, **_how):
            found.extend(page.url_path for page in given)
            return SimpleNamespace(url_path="glossary", run=lambda: None)

        monkeypatch.setattr("streamlit.navigation", navigation)
        open_app()
        assert "glossary" in found
        return found

    return pages


def test_it_is_among_the_pages_of_the_teacher_alone(visited_by, listed):
    visited_by(TEACHER)
    assert "visitors" in listed()
    visited_by(ANN)
    assert "visitors" not in listed()


def test_without_a_class_it_is_not_there(listed):
    assert "visitors" not in listed()
