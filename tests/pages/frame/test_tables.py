"""Rows that are ticked stand for things, whatever else the table holds meanwhile."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.frame import tables
from tests.pages.conftest import tick_rows, ticked_rows


def _page(mode):
    import pandas as pd
    import streamlit as st

    from pages.frame import address, tables

    address.enter("page")
    things = st.session_state.get("things", ["one", "two", "three", "two"])
    ticked = address.texts_of("ticked") or ()
    tables.show(
        "table",
        pd.DataFrame({"a": things}),
        things,
        ticked,
        lambda found: address.choose({"ticked": found}),
        selection_mode=mode,
    )
    st.button("two", key="two", on_click=address.choose, args=({"ticked": ["two"]},))
    st.text(",".join(ticked))


@pytest.fixture(params=["single-row", "multi-row"])
def mode(request):
    return request.param


@pytest.fixture
def at(mode):
    return AppTest.from_function(_page, kwargs={"mode": mode}).run()


def tick(at, *rows):
    [found] = at.dataframe
    tick_rows(at, found, *rows)


def said(at):
    [text] = at.text
    return text.value


def test_what_a_ticked_row_stands_for_is_chosen(at):
    tick(at, 2)
    assert (said(at), ticked_rows(at, "table")) == ("three", [2])
    tick(at)
    assert (said(at), ticked_rows(at, "table")) == ("", [])


def test_what_was_chosen_elsewhere_is_ticked_once_or_everywhere_it_stands(at, mode):
    at.button(key="two").click().run()
    assert ticked_rows(at, "table") == ([1] if mode == "single-row" else [1, 3])


def test_a_tick_stays_with_its_thing_when_others_come_before_it(at):
    tick(at, 2)
    at.session_state["things"] = ["zero", "one", "two", "three"]
    at.run()
    assert (said(at), ticked_rows(at, "table")) == ("three", [3])


def test_shares_beside_bars_are_per_cent():
    assert tables.beside_bars() == "percent"
