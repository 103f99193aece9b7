"""Links to a view of the attention page."""

from urllib.parse import parse_qs

import pytest


@pytest.mark.parametrize("kind", ["encoder.self", "decoder.self", "decoder.cross"])
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
