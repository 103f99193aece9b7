"""Widgets that ask for one choice: what they offer, what they return, and what they let pass."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import name_of


def _ask(control, label, arguments, how):
    import streamlit as st

    from pages.frame import address, controls

    address.enter("page")
    found = getattr(controls, control)(label, *arguments, **how)
    st.text(repr(found))
    address.write()


def asked(control, *arguments, query=None, **how):
    """Draw one control as a link asks for it."""
    at = AppTest.from_function(
        _ask, kwargs={"control": control, "label": "Asked", "arguments": arguments, "how": how}
    )
    at.query_params.update(query or {})
    at.run()
    assert not at.exception, at.exception
    return at


def found(at):
    """Return what the control returned to the page."""
    return at.text[0].value


WAYS = {"at": "looks at", "by": "is looked at by"}


@pytest.mark.parametrize(
    ("control", "kind"), [("choice", "button_group"), ("selection", "selectbox")]
)
def test_people_read_labels_and_code_gets_names(control, kind):
    at = asked(control, "way", WAYS, "at", query={"way": "by"})
    [widget] = at.get(kind)
    assert [name_of(widget), found(at)] == ["way", "'by'"]
    options = [getattr(each, "content", each) for each in widget.options]
    assert options == list(WAYS.values())


@pytest.mark.parametrize("control", ["choice", "selection"])
def test_what_another_view_asks_for_is_returned_and_kept_without_a_widget(control):
    at = asked(control, "way", WAYS, "at", query={"way": "by"}, asked=False)
    assert found(at) == "'by'"
    assert not [*at.selectbox, *at.get("button_group")]
    assert at.query_params == {"way": "by"}


def test_a_name_is_understood_before_what_older_links_called_another_thing():
    older = {"by": "at", "looks at": "at", "gone": "nowhere"}
    for written, meant in {"by": "by", "looks at": "at", "gone": "at", "At": "at"}.items():
        assert found(asked("choice", "way", WAYS, "at", query={"way": written}, older=older)) == (
            repr(meant)
        )


@given(st.integers(-3, 12), st.integers(1, 9), st.data())
@settings(max_examples=15, deadline=None)
def test_a_number_is_one_of_those_that_are_counted_from_0(written, count, data):
    default = data.draw(st.integers(0, count - 1))
    at = asked("number", count, default, "layer", query={"layer": str(written)})
    assert found(at) == str(written if 0 <= written < count else default)
    assert at.selectbox[0].options == [str(index) for index in range(count)]


SEVERAL = ("off", {"x": "ex", "y": "why", "z": "zed"}, ["z", "x"], "kind")


@pytest.mark.parametrize(
    ("query", "chosen", "address"),
    [
        ({}, ["x", "z"], {}),
        ({"off": ["z", "y"]}, ["y", "z"], {"off": ["y", "z"]}),
        ({"off": ["z", "x", "x"]}, ["x", "z"], {}),
        ({"off": ["ex"]}, ["x"], {"off": "x"}),
        ({"off": ["gone"]}, [], {"off": ""}),
        ({"off": [""]}, [], {"off": ""}),
    ],
)
def test_several_things_come_in_the_order_in_which_they_are_offered(query, chosen, address):
    at = asked("several", *SEVERAL, {"ex": "x"}, query=query)
    assert found(at) == repr(chosen)
    assert at.get("button_group")[0].value == chosen
    assert {name: texts for name, texts in at.query_params.items() if texts is not None} == address


@pytest.mark.parametrize("slides", [False, True])
@given(st.floats() | st.floats(-2, 2))
@settings(max_examples=15, deadline=None)
def test_an_amount_is_what_the_link_says_where_it_lies_within_the_limits(slides, written):
    query = {"share": repr(written)}
    at = asked("amount", "share", 0.5, query=query, limits=(-1.0, 1.0), step=0.1, slides=slides)
    within = math.isfinite(written) and -1 <= written <= 1
    assert found(at) == repr(written if within else 0.5)
    assert [len(at.slider), len(at.number_input)] == ([1, 0] if slides else [0, 1])


@pytest.mark.parametrize(
    ("written", "meant"), [("-1", "-1.0"), ("1", "1.0"), ("1.0000001", "0.5"), ("-1.1", "0.5")]
)
def test_the_limits_of_an_amount_can_be_chosen_themselves(written, meant):
    at = asked("amount", "share", 0.5, query={"share": written}, limits=(-1.0, 1.0))
    assert found(at) == meant


@pytest.mark.parametrize(
    ("written", "meant"), [("1e300", "1e+300"), ("1e999", "0.5"), ("-inf", "0.5"), ("nan", "0.5")]
)
def test_without_limits_an_amount_is_any_number_that_is_finite(written, meant):
    assert found(asked("amount", "share", 0.5, query={"share": written})) == meant


@pytest.mark.parametrize(
    ("written", "meant"), [("7", "7"), ("1e2", "4"), ("7.0", "4"), ("-7", "-7"), (" 7", "7")]
)
def test_a_whole_amount_is_read_as_a_whole_number(written, meant):
    assert found(asked("amount", "beam", 4, query={"beam": written})) == meant


@pytest.mark.parametrize("written", [str(2**53), str(-(2**60)), "1" + 30 * "0"])
def test_a_whole_amount_that_no_browser_can_hold_is_none(written):
    assert found(asked("amount", "beam", 4, query={"beam": written})) == "4"


def _amount_of_a_run():
    import streamlit as st

    from pages.frame import address, controls

    address.enter("page")
    run = controls.choice("Run", "run", {"copy": "copy", "translate": "translate"}, "copy")
    st.text(repr(controls.amount("Beam", "beam", 4, of=run)))
    address.write()


def test_an_amount_begins_anew_where_what_it_belongs_to_changes():
    at = AppTest.from_function(_amount_of_a_run).run()
    at.number_input[0].set_value(7).run()
    assert (found(at), at.query_params) == ("7", {"beam": "7"})
    at.button_group[0].set_value("translate").run()
    assert (found(at), at.query_params) == ("4", {"run": "translate"})


@pytest.mark.parametrize(("written", "meant"), [("true", True), ("false", False), ("1", True)])
def test_a_toggle_is_true_or_false_and_else_as_at_first(written, meant):
    at = asked("toggle", "share", True, query={"share": written})
    assert (found(at), at.toggle[0].value) == (repr(meant), meant)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=20))
@settings(max_examples=15, deadline=None)
def test_a_text_is_taken_as_it_was_typed(typed):
    at = asked("text", "sentence", "a b")
    at.text_input[0].set_value(typed).run()
    assert found(at) == repr(typed)
    again = asked(
        "text", "sentence", "a b", query={"sentence": at.query_params.get("sentence", "a b")}
    )
    assert found(again) == repr(typed)


def test_a_text_of_several_lines_has_a_box_for_them():
    at = asked("text", "others", "a\nb", height=90, labelled=False)
    assert [box.value for box in at.text_area] == ["a\nb"]
    assert not at.text_input


def test_in_the_place_of_one_amount_the_box_is_empty_and_says_what_stands_for_it():
    at = asked("amount", "width", 0, empty=0, placeholder="auto: 16")
    assert (at.number_input[0].value, at.number_input[0].placeholder) == (None, "auto: 16")
    assert found(at) == "0"
    at.number_input[0].set_value(8).run()
    assert found(at) == "8"
    at.number_input[0].set_value(None).run()
    assert found(at) == "0"
    assert "width" not in at.query_params


@pytest.mark.parametrize(("control", "default"), [("amount", 3), ("toggle", True)])
def test_what_cannot_be_changed_is_shown(control, default):
    at = asked(control, "shown", default, disabled=True)
    [widget] = [*at.number_input, *at.toggle]
    assert widget.disabled
    assert found(at) == str(default)
