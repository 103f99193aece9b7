from streamlit.testing.v1 import AppTest


def _page():
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx
    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

    from pages.frame import session

    def take(look):
        requests = get_script_run_ctx().script_requests
        requests.request_rerun(RerunData(page_script_hash=get_script_run_ctx().page_script_hash))
        drawer["looks"].append(look())

    drawer = session.storage("test")
    drawer.setdefault("looks", [])
    st.button("copy", key="copy", on_click=take, args=(lambda: session.callback_state()["copy"],))
    st.button("value", key="value", on_click=take, args=(lambda: st.session_state["value"],))
    st.text(f"{drawer['looks']}")


def test_a_callback_comes_to_its_end_although_another_request_has_come():
    at = AppTest.from_function(_page).run()
    at.button(key="copy").click().run()
    assert at.text[0].value == "[True]"
    # A look at one value loses the click: without that, nothing would need a copy.
    at.button(key="value").click().run()
    assert at.text[0].value == "[True]"
