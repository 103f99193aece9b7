from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.runtime.state.query_params import QueryParams
from streamlit.testing.v1 import AppTest

from pages.frame import session
from pages.frame.session import position, positions
from tests.pages.conftest import name_of


def _callbacks():
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
    st.button("copy", key="copy", on_click=take, args=(lambda: session.component_value("copy"),))
    st.button("value", key="value", on_click=take, args=(lambda: st.session_state["value"],))
    st.text(f"{drawer['looks']}")


def test_a_callback_comes_to_its_end_although_another_request_has_come():
    at = AppTest.from_function(_callbacks).run()
    at.button(key="copy").click().run()
    assert at.text[0].value == "[True]"
    # A look at one value loses the click: without that, nothing would need a copy.
    at.button(key="value").click().run()
    assert at.text[0].value == "[True]"


def _page():
    import streamlit as st

    from pages.frame import controls, session

    session.enter(st.session_state.get("page", "first"))
    controls.text("Sentence", "sentence", "a b")
    layer = controls.number("layer", 4, 1, "layer")
    controls.number("head", 4, 2 if layer == 3 else 0, "head")
    order = {"largest": "largest first", "layers": "by layer"}
    controls.choice("Sort", "sort", order, "largest", older={"largest first": "largest"})
    controls.choice("View", "view", {"one": "one", "two": "two"}, "one", named=True)
    controls.amount("Beam", "beam", 6 if layer == 3 else 4, limits=(1, 8))
    controls.several("Off", "off", {"x": "ex", "y": "why"}, ["y"], "kind", {"ex": "x"})
    controls.toggle("Share", "share")
    st.text(str(session.linked("token")))
    st.button("wide", key="wide", on_click=session.choose, args=({"sentence": "c d"},))
    st.button("pin", key="pin", on_click=session.choose, args=({"token": 7},))
    st.button("unpin", key="unpin", on_click=session.choose, args=({"token": None},))
    session.write()
    st.text(session.link())


@pytest.fixture
def open_page():
    def opener(**query_params):
        at = AppTest.from_function(_page)
        at.query_params.update(query_params)
        return at.run()

    return opener


def shown(at):
    found = [*at.text_input, *at.selectbox, *at.segmented_control, *at.number_input, *at.toggle]
    return {name_of(each): each.value for each in found}


DEFAULT = {"sentence": "a b", "layer": 1, "head": 0, "sort": "largest", "view": "one"}
DEFAULT |= {"beam": 4, "share": False}


def test_what_is_chosen_stands_in_the_address_and_opens_the_same_again(open_page):
    at = open_page()
    at.selectbox(key="layer").set_value(3).run()
    at.toggle(key="share").set_value(True).run()
    at.number_input(key="beam").set_value(5).run()
    at.text_input(key="sentence").set_value("ä & ö").run()
    wanted = {"sentence": "ä & ö", "layer": "3", "share": "true", "beam": "5", "view": "one"}
    assert at.query_params == wanted
    assert shown(open_page(**wanted)) == shown(at)


def test_a_link_names_what_is_default_too(open_page):
    link = parse_qs(open_page(layer="3").text[-1].value.partition("?")[2])
    values = DEFAULT | {"layer": 3, "head": 2, "beam": 6, "share": "false", "off": "y"}
    assert link == {name: [str(value)] for name, value in values.items()}


def test_a_click_changes_a_choice_that_has_a_widget_and_one_that_has_none(open_page):
    at = open_page()
    at.button(key="wide").click().run()
    assert shown(at)["sentence"] == "c d"
    at.button(key="pin").click().run()
    assert at.text[0].value == "7"
    assert at.query_params == {"view": "one", "sentence": "c d", "token": "7"}
    at.button(key="unpin").click().run()
    assert "token" not in at.query_params


def test_choices_go_with_the_visitor_from_page_to_page(open_page):
    at = open_page(layer="2")
    at.button(key="pin").click().run()
    for page in ("second", "first"):
        # A link of the navigation has no parameters.
        at.query_params.clear()
        at.session_state["page"] = page
        at.run()
        marks = {session.SHOWS: page, session.ARRIVED: "true"}
        assert at.query_params == {"view": "one", "layer": "2", "token": "7"} | marks


def test_the_way_back_shows_what_the_address_says_and_defaults_for_the_rest(open_page, monkeypatch):
    at = open_page()
    at.selectbox(key="layer").set_value(3).run()
    at.toggle(key="share").set_value(True).run()
    at.query_params.clear()
    at.query_params.update({"layer": "3"})
    monkeypatch.setattr(session, "is_way_back", lambda: True)
    at.run()
    assert (shown(at)["layer"], shown(at)["share"]) == (3, False)


def test_a_browser_that_is_behind_with_the_address_changes_nothing(open_page):
    at = open_page()
    at.selectbox(key="layer").set_value(3).run()
    at.selectbox(key="layer").set_value(2).run()
    at.query_params.clear()
    at.query_params.update({"layer": "3", "view": "one"})
    at.toggle(key="share").set_value(True).run()
    assert shown(at)["layer"] == 2
    assert at.query_params["layer"] == "2"


def _sentences():
    from pages.frame import controls, session

    session.enter("first")
    sentence = controls.text("Sentence", "sentence", "a")
    session.goes_with("reference", sentence)
    controls.text("Reference", "reference", f"true {sentence}")
    session.write()


def test_each_sentence_has_its_own_reference_which_comes_back_with_it():
    at = AppTest.from_function(_sentences).run()

    def choose(name, value):
        at.text_input(key=name).set_value(value).run()
        return at.text_input(key="reference").value

    assert choose("reference", "own") == "own"
    assert choose("sentence", "b") == "true b"
    assert choose("sentence", "a") == "own"


def _page_of_parts():
    from pages.frame import controls, session

    def inner():
        pass

    def outer():
        session.fragment("inner")(inner)()
        controls.text("Sentence", "sentence", "a b")

    session.enter("page")
    session.fragment("outer")(outer)()
    session.write()


def test_a_part_of_a_part_leaves_the_choices_after_it_in_the_address():
    at = AppTest.from_function(_page_of_parts)
    at.query_params["sentence"] = "c d"
    at.run()
    assert at.text_input(key="sentence").value == "c d"
    assert at.query_params["sentence"] == "c d"


def test_a_page_says_its_address_when_it_is_entered_whatever_is_known_of_it(open_page, monkeypatch):
    """What the page before said of a choice may reach the browser when it has gone on."""
    at, told = open_page(), []
    send = QueryParams._send_query_param_msg
    monkeypatch.setattr(
        QueryParams,
        "_send_query_param_msg",
        lambda params: (told.append(params.to_dict()), send(params)),
    )
    at.run()
    assert not told
    at.session_state["page"] = "second"
    at.run()
    assert told == [{"view": "one", session.SHOWS: "second", session.ARRIVED: "true"}]
    at.run()
    assert told == [{"view": "one", session.SHOWS: "second", session.ARRIVED: "true"}]


@given(st.integers(-5, 10**12), st.integers(0, 10**8))
def test_a_whole_number_below_the_count_is_a_position(number, count):
    assert position(str(number), count) == (number if 0 <= number < count else None)


@pytest.mark.parametrize("written", ["", " 1", "+1", "1.0", "1e0", "0x1", "²", "١", "9" * 5000])
def test_any_other_text_of_a_link_is_no_position(written):
    assert position(written, 10) is None
    assert positions(f"0,{written}", 10, 10) is None
