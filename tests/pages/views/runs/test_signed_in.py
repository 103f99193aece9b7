import pytest
from streamlit.testing.v1 import AppTest

from pages.classroom import current, settings
from pages.classroom.settings import Classroom
from pages.classroom.visitors import TEACHER, Visitor


@pytest.fixture
def said(monkeypatch):
    """Return a function that returns what is said to a visitor."""

    def page():
        from pages.views.runs import signed_in

        signed_in.say()

    def of(visitor):
        monkeypatch.setattr(current, "visitor", lambda: visitor)
        return "".join(each.proto.body for each in AppTest.from_function(page).run().get("html"))

    yield of
    settings.open_classroom(None)


def test_without_a_class_nobody_is_told_who_she_is(said):
    assert said(TEACHER) == ""


def test_in_a_class_everybody_is_told_and_can_sign_out(said):
    settings.open_classroom(Classroom())
    assert "Signed in as Ann &amp; Ben." in said(Visitor("Ann & Ben"))
    assert "Signed in as the teacher." in said(TEACHER)
    assert 'method="post" action="/sign-out"' in said(TEACHER)
