"""Widgets that ask for one choice: what they offer, what they return, and what they let pass."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import name_of


def _ask(control, label, arguments, how):
    import streamlit as st

    from pages.frame import controls, session

    session.enter("page")
    found = getattr(controls, control)(label, *arguments, **how)
    st.text(repr(found))
    session.write()


def asked(control, *arguments, query=None, **how):
    """Draw one control as a link asks for it."""
    at = AppTest.from_function(
        _ask, kwargs={"control": control, "label": "Asked", "arguments": arguments, "how": how}
    )
    at.query_params.update(query or {})
    at.run()
    assert not at.exception, at.exception
    return at


def found(at):
    """Return what the control returned to the page."""
    return at.text[0].value


WAYS = {"at": "looks at", "by": "is looked at by"}


@pytest.mark.parametrize(
    ("control", "kind"), [("choice", "button_group"), ("selection", "selectbox")]
)
def test_people_read_labels_and_code_gets_names(control, kind):
    at = asked(control, "way", WAYS, "at", query={"way": "by"})
    [widget] = at.get(kind)
    assert [name_of(widget), found(at)] == ["way", "'by'"]
    options = [getattr(each, "content", each) for each in widget.options]
    assert options == list(WAYS.values())


@pytest.mark.parametrize("control", ["choice", "selection"])
def test_what_another_view_asks_for_is_returned_and_kept_without_a_widget(control):
    at = asked(control, "way", WAYS, "at", query={"way": "by"}, asked=False)
    assert found(at) == "'by'"
    assert not [*at.selectbox, *at.get("button_group")]
    assert at.query_params == {"way": "by"}


@given(st.integers(-3, 12), st.integers(1, 9), st.data())
@settings(max_examples=15, deadline=None)
def test_a_number_is_one_of_those_that_are_counted_from_0(written, count, data):
    default = data.draw(st.integers(0, count - 1))
    at = asked("number", count, default, "layer", query={"layer": str(written)})
    assert found(at) == str(written if 0 <= written < count else default)
    assert at.selectbox[0].options == [str(index) for index in range(count)]


SEVERAL = ("off", {"x": "ex", "y": "why", "z": "zed"}, ["z", "x"], "kind")


@pytest.mark.parametrize(
    ("query", "chosen", "address"),
    [
        ({}, ["x", "z"], {}),
        ({"off": ["z", "y"]}, ["y", "z"], {"off": ["y", "z"]}),
        ({"off": ["z", "x", "x"]}, ["x", "z"], {}),
        ({"off": ["ex"]}, ["x"], {"off": "x"}),
        ({"off": ["gone"]}, [], {"off": ""}),
        ({"off": [""]}, [], {"off": ""}),
    ],
)
def test_several_things_come_in_the_order_in_which_they_are_offered(query, chosen, address):
    at = asked("several", *SEVERAL, {"ex": "x"}, query=query)
    assert found(at) == repr(chosen)
    assert at.get("button_group")[0].value == chosen
    assert {name: texts for name, texts in at.query_params.items() if texts is not None} == address


@pytest.mark.parametrize("slides", [False, True])
@given(st.floats() | st.floats(-2, 2))
@settings(max_examples=15, deadline=None)
def test_an_amount_is_what_the_link_says_where_it_lies_within_the_limits(slides, written):
    query = {"share": repr(written)}
    at = asked("amount", "share", 0.5, query=query, limits=(-1.0, 1.0), step=0.1, slides=slides)
    within = math.isfinite(written) and -1 <= written <= 1
    assert found(at) == repr(written if within else 0.5)
    assert [len(at.slider), len(at.number_input)] == ([1, 0] if slides else [0, 1])


@pytest.mark.parametrize(
    ("written", "meant"),
    [("7", "7"), ("-7", "-7"), (" 7", "7"), ("7.0", "4"), ("1e2", "4"), (str(2**53), "4")],
)
def test_a_whole_amount_is_read_as_a_whole_number_that_a_browser_can_hold(written, meant):
    assert found(asked("amount", "beam", 4, query={"beam": written})) == meant


@pytest.mark.parametrize("written", ["1e999", "-inf", "nan"])
def test_an_amount_without_limits_is_finite(written):
    assert found(asked("amount", "share", 0.5, query={"share": written})) == "0.5"


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=20))
@settings(max_examples=15, deadline=None)
def test_a_text_is_taken_as_it_was_typed(typed):
    at = asked("text", "sentence", "a b")
    at.text_input[0].set_value(typed).run()
    assert found(at) == repr(typed)
    again = asked(
        "text", "sentence", "a b", query={"sentence": at.query_params.get("sentence", "a b")}
    )
    assert found(again) == repr(typed)


def test_in_the_place_of_one_amount_the_box_is_empty_and_says_what_stands_for_it():
    at = asked("amount", "width", 0, empty=0, placeholder="auto: 16")
    assert (at.number_input[0].value, at.number_input[0].placeholder) == (None, "auto: 16")
    assert found(at) == "0"
    at.number_input[0].set_value(8).run()
    assert found(at) == "8"
    at.number_input[0].set_value(None).run()
    assert found(at) == "0"
    assert "width" not in at.query_params
