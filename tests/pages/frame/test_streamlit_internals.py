import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner_utils import script_requests
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.testing.v1 import AppTest

from pages.frame import streamlit_internals


@pytest.fixture(autouse=True)
def _kept(monkeypatch):
    monkeypatch.setattr(script_requests, "_coalesce_widget_states", streamlit_internals.joined)


def states(**held):
    found = WidgetStates()
    for name, value in held.items():
        if value is True:
            found.widgets.append(WidgetState(id=name, trigger_value=True))
        else:
            found.widgets.append(WidgetState(id=name, string_value=value))
    return found


def told(*requests):
    """What a run is told of widgets that begins when all of the requests have come."""
    waiting_together = ScriptRequests()
    for page, held in requests:
        waiting_together.request_rerun(RerunData(page_script_hash=page, widget_states=held))
    data = waiting_together.on_scriptrunner_ready().rerun_data
    return data.page_script_hash, {
        each.id: each.trigger_value or each.string_value for each in data.widget_states.widgets
    }


def test_what_was_chosen_before_a_switch_of_pages_is_told_with_it():
    assert told(("one", states(view="word")), ("two", states())) == ("two", {"view": "word"})


def test_the_newer_request_says_what_a_widget_holds():
    first, second = states(view="word", layer="1"), states(view="maps")
    assert told(("one", first), ("one", second))[1] == {"view": "maps", "layer": "1"}


def test_what_was_clicked_is_told_as_before():
    assert told(("one", states(next=True)), ("two", states()))[1] == {"next": True}


def test_the_app_keeps_choices(open_app, monkeypatch):
    monkeypatch.setattr(script_requests, "_coalesce_widget_states", streamlit_internals._joined)
    open_app()
    assert script_requests._coalesce_widget_states is streamlit_internals.joined


def _bound():
    import streamlit as st

    def third():
        st.session_state["head"] = "3"

    st.selectbox("head", ["0", "3"], key="head", bind="query-params")
    st.button("third", key="third", on_click=third)


def test_a_bound_widget_loses_a_click_that_the_browser_has_not_drawn_yet():
    at = AppTest.from_function(_bound).run()
    before = at.selectbox[0].set_value("0")._widget_state
    at.button(key="third").click().run()
    assert at.selectbox[0].value == "3"
    at._run(WidgetStates(widgets=[before]))
    assert at.selectbox[0].value == "0"
