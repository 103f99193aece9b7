import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from pages.classroom import cookie, current, settings
from pages.classroom.settings import Classroom
from pages.classroom.visitors import ALONE, Visitor

CLASSROOM = Classroom(secret="of this class")


@pytest.fixture
def of_browser(monkeypatch):
    """Return a function that says which cookie a browser has."""
    settings.open_classroom(CLASSROOM)

    def has(text):
        class Context:
            cookies = {cookie.NAME: text} if text else {}

        monkeypatch.setattr(st, "context", Context)

    yield has
    settings.open_classroom(None)


def test_without_a_class_everybody_is_the_one_user(monkeypatch):
    monkeypatch.setenv("CLASS_PASSWORD", "all together")
    assert current.visitor() == ALONE


def test_in_a_class_a_visitor_is_whom_her_cookie_was_written_for(of_browser):
    of_browser(cookie.written(CLASSROOM, Visitor("Ann", "key")))
    assert current.visitor() == Visitor("Ann", "key")


@pytest.mark.parametrize("kept", ["", "forged"])
def test_nothing_is_drawn_for_whoever_has_left(of_browser, kept):
    of_browser(kept)
    with pytest.raises(StopException):
        current.visitor()
