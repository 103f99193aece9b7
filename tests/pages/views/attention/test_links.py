"""Links to a view of the attention page."""

from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from core.heads import Kind


@pytest.mark.parametrize("kind", list(Kind))
def test_a_link_may_call_kind_and_unit_by_their_own_names(open_view, kind):
    at, taken = open_view("maps", kind=kind, unit="words")
    assert at.segmented_control(key="kind").value == kind
    assert at.segmented_control(key="unit").value == "words"
    assert taken.name.startswith(kind.replace(".", ".0.").partition(".0.")[0])


def test_the_offered_link_names_what_is_default_too(open_view):
    at, _ = open_view("lines")
    [link] = [code.value for code in at.code if "view=lines" in code.value and "?" in code.value]
    query = parse_qs(link.partition("?")[2])
    assert query["model"] == ["translate-guided"]
    assert query["sentence"] == [at.text_input(key="sentence").value]
    assert query["kind"] == ["encoder.self"]
    assert (query["layer"], query["head"]) == (["2"], ["0"])
    again, _ = open_view(**{name: values[0] for name, values in query.items()})
    assert shown_values(again) == shown_values(at)


def shown_values(at):
    widgets = [*at.segmented_control, *at.selectbox, *at.text_input]
    return {widget.key: widget.value for widget in widgets}


def _draw_a_part_twice():
    import streamlit as st

    from pages.frame import address

    address.enter("a page")
    address.show("view", ("compare",))
    for below in ("other_model", "other_sentence"):
        address.part("below", address.show, below, ("x",))
    st.text(address.link())


def test_a_link_forgets_what_a_part_that_is_drawn_again_no_longer_shows():
    at = AppTest.from_function(_draw_a_part_twice).run()
    assert parse_qs(at.text[0].value.partition("?")[2]) == {
        "view": ["compare"],
        "other_sentence": ["x"],
    }
