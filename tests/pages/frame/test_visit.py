"""A browser that is behind reports what it showed before: that must undo nothing."""

import pytest
from streamlit.testing.v1 import AppTest


def _page():
    import pandas as pd
    import streamlit as st

    from pages.frame import address, controls, visit

    def first_head():
        st.session_state["followed"] = st.session_state.get("followed", 0) + 1
        address.choose({"head": 0})

    address.enter("page")
    controls.text("Sentence", "sentence", "old")
    kinds = {"self": "self", "cross": "cross"}
    controls.choice("Kind", "kind", kinds, "self", then=first_head)
    if "hidden" not in st.session_state:
        controls.number("head", 4, 1, "head")
    st.button("new", key="new", on_click=address.choose, args=({"sentence": "new"},))
    st.button("third", key="third", on_click=address.choose, args=({"head": 3},))
    rows = [int(text) for text in address.texts_of("rows") or ()]
    visit.prepare_rows("table", rows)
    st.dataframe(
        pd.DataFrame({"a": [1, 2, 3]}),
        key="table",
        selection_mode="multi-row",
        on_select=lambda: visit.report_rows("table", lambda found: address.choose({"rows": found})),
    )
    st.text(",".join(map(str, rows)))
    address.write()


@pytest.fixture
def at():
    return AppTest.from_function(_page).run()


def values(at):
    return (
        at.text_input(key="sentence").value,
        at.segmented_control(key="kind").value,
        at.selectbox(key="head").value,
    )


def test_an_old_text_beside_another_choice_is_not_taken_for_a_choice(at):
    at.button(key="new").click().run()
    # The browser has not drawn the new sentence yet when the visitor clicks elsewhere.
    at.text_input(key="sentence").set_value("old")
    at.selectbox(key="head").set_value(2).run()
    assert values(at) == ("new", "self", 2)


def test_an_old_value_beside_a_click_is_not_taken_for_a_choice(at):
    at.button(key="third").click().run()
    at.selectbox(key="head").set_value(1)
    at.button(key="new").click().run()
    assert values(at) == ("new", "self", 3)


def test_who_goes_back_to_the_old_text_by_hand_gets_it(at):
    at.button(key="new").click().run()
    at.text_input(key="sentence").set_value("old").run()
    assert values(at)[0] == "old"


def test_what_follows_from_a_choice_follows_once_and_not_when_it_is_only_reported_again(at):
    at.segmented_control(key="kind").set_value("cross").run()
    assert values(at) == ("old", "cross", 0)
    at.button(key="third").click().run()
    # The browser reports the kind that it was told to show.
    at.segmented_control(key="kind").set_value("cross").run()
    assert values(at) == ("old", "cross", 3)
    assert at.session_state["followed"] == 1


def test_a_choice_is_kept_where_its_widget_was_not_drawn_for_a_while(at):
    at.selectbox(key="head").set_value(2).run()
    at.session_state["hidden"] = True
    at.run()
    assert not at.selectbox
    del at.session_state["hidden"]
    at.run()
    assert values(at)[2] == 2
