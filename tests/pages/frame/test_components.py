"""Components as elements of a page."""

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import chosen_since, component, pick
from tests.viz.unpacked import unpack_maps as unpack


def test_maps_come_with_the_head_that_they_open_on_and_go_back_to_it(open_app):
    at = open_app(kind="cross", layer="1", head="2")
    maps = component(at, "attention_maps").bytes
    assert unpack(maps).selected == (1, 2)
    assert chosen_since(at) is None
    pick(at, 0, 3)
    assert unpack(maps, chosen_since(at)).selected == (0, 3)
    pick(at, 1, 2)
    assert component(at, "attention_maps").bytes == maps
    assert chosen_since(at) is None
    pick(at, 0, 3)
    at.text_input(key="sentence").set_value("The cat slept.").run()
    # Other maps open on what is chosen by now.
    assert unpack(component(at, "attention_maps").bytes).selected == (0, 3)
    assert chosen_since(at) is None


def test_the_page_has_the_scripts_of_components_and_no_element_brings_one(open_app):
    at = open_app(view="pass")
    elements = [each.proto for each in at.get("bidi_component")]
    assert elements
    assert all(len(proto.js_content) < 1000 for proto in elements)
    [script] = lent_to(at)
    assert all(f'lend("{name}"' in script for name in ("plane", "lines", "stepper"))
    at.run()
    assert not lent_to(at)


def _leads_on_at_first():
    import streamlit as st

    from pages.frame import components, links

    components.lend_scripts()
    if not st.session_state.setdefault("has_led_on", False):
        st.session_state.has_led_on = True
        links.go("attention", {})


def test_scripts_of_a_page_that_leads_on_are_lent_again_by_the_next(monkeypatch):
    # Of what is drawn before that the browser may get nothing.
    monkeypatch.setattr("streamlit.switch_page", lambda *_to, **_query: None)
    at = AppTest.from_function(_leads_on_at_first).run()
    assert len(lent_to(at.run())) == 1
    assert not lent_to(at.run())


def lent_to(at):
    """Return the scripts that the page gets in this run."""
    return [each.proto.body for each in at.get("html") if "lend(" in each.proto.body]
