"""Widgets that ask for one choice: what they offer, what they return, and what they let pass."""

import inspect
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.inspection import inspect_sentence
from tests.pages.conftest import tick_rows, ticked_rows, unfold


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
        ({"off": ["ex"]}, ["x"], {"off": "x"}),
        ({"off": ["gone"]}, [], {"off": ""}),
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


def _page(mode):
    import pandas as pd
    import streamlit as st

    from pages.frame import controls, session

    session.enter("page")
    things = st.session_state.get("things", ["one", "two", "three", "two"])
    ticked = session.texts_of("ticked") or ()
    controls.table(
        "table",
        pd.DataFrame({"a": things}),
        things,
        ticked,
        lambda found: session.choose({"ticked": found}),
        selection_mode=mode,
    )
    st.button("two", key="two", on_click=session.choose, args=({"ticked": ["two"]},))
    st.text(",".join(ticked))


@pytest.mark.parametrize(("mode", "rows"), [("single-row", [1]), ("multi-row", [1, 3])])
def test_rows_that_are_ticked_stand_for_things_whatever_else_the_table_holds(mode, rows):
    at = AppTest.from_function(_page, kwargs={"mode": mode}).run()
    tick_rows(at, at.dataframe[0], 2)
    assert (at.text[0].value, ticked_rows(at, "table")) == ("three", [2])
    at.session_state["things"] = ["zero", "one", "two", "three", "two"]
    at.run()
    assert (at.text[0].value, ticked_rows(at, "table")) == ("three", [3])
    tick_rows(at, at.dataframe[0])
    assert (at.text[0].value, ticked_rows(at, "table")) == ("", [])
    # What is chosen elsewhere is ticked wherever it stands.
    del at.session_state["things"]
    at.button(key="two").click().run()
    assert ticked_rows(at, "table") == rows


def texts(at, kind):
    return [each.value.strip() for each in at.get(kind)]


def test_what_is_folded_is_made_only_while_it_is_open(open_app):
    at = open_app()
    links = texts(at, "code")
    assert not at.get("latex")
    assert len(texts(unfold(at, "formula"), "latex")) == 1
    assert inspect.getsource(inspect_sentence).strip() in texts(unfold(at, "code"), "code")
    assert len(texts(at, "code")) > len(links)
    n_paragraphs = len(at.markdown)
    assert len(unfold(at, "how_to_read").markdown) > n_paragraphs
    at.session_state["folded_formula"] = False
    assert not at.run().get("latex")
