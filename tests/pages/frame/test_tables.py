import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import tick_rows, ticked_rows


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
