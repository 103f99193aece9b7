import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.views.positions.conftest import learned_run as learned_run
from tests.pages.views.positions.conftest import open_positions as open_positions
from tests.pages.views.positions.conftest import set_number


@pytest.mark.slow
@pytest.mark.parametrize("view", ["shuffle", "norms", "learned"])
def test_500_words_are_shown_as_far_as_the_model_reads(open_positions, view):
    at = open_positions(view, model="copy", sentence="a b " * 250)
    assert not at.exception


def _one_of_two_pages():
    import streamlit as st

    from pages import positions, scaling
    from pages.frame import address

    name = st.session_state["page"]
    address.enter(name)
    {"positions": positions, "scaling": scaling}[name].render()


def test_the_width_follows_a_model_that_was_chosen_on_another_page():
    at = AppTest.from_function(_one_of_two_pages, default_timeout=60)

    def go(page, **query_params):
        at.query_params.clear()
        at.query_params.update(query_params)
        at.session_state["page"] = page
        at.run()
        assert not at.exception, at.exception

    go("positions", positions="map", model="translate")
    set_number(at, "pe_d_model", 16)
    go("scaling")
    assert at.selectbox(key="model").value == "translate"
    go("positions", positions="map")
    assert at.number_input(key="pe_d_model").value == 16
    go("scaling")
    at.selectbox(key="model").set_value("copy").run()
    go("positions", positions="map")
    assert at.selectbox(key="model").value == "copy"
    assert at.number_input(key="pe_d_model").value == 64
