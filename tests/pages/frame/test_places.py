import pytest
from streamlit.testing.v1 import AppTest

from pages.frame import places
from pages.frame.places import StoppedError


def page():
    import streamlit as st

    from pages.frame import places

    with places.place("above"):
        st.session_state["draw"]()
    st.text("below")


@pytest.fixture
def drawn():
    def drawn(draw):
        at = AppTest.from_function(page)
        at.session_state["draw"] = draw
        return at.run()

    return drawn


def where_is(at, text):
    return next(index for index, each in at.main.children.items() if each.value == text)


def test_what_comes_after_stands_where_it_stood_whatever_was_told(drawn):
    def tell():
        places.here().told = places.here().slot.text("half of it")

    quiet, told = drawn(lambda: None), drawn(tell)
    assert [each.value for each in told.text] == ["below"]
    assert where_is(quiet, "below") == where_is(told, "below") == 1


def test_what_was_stopped_is_offered_and_the_rest_is_drawn(drawn):
    def stopped():
        raise StoppedError(lambda its: its.slot.text(f"again: {its.part}"))

    at = drawn(stopped)
    assert [each.value for each in at.text] == ["again: above", "below"]
    assert not at.exception


def test_other_errors_are_no_business_of_it(drawn):
    def fail():
        raise ValueError("why")

    assert [each.message for each in drawn(fail).exception]
    assert places.here() is None
