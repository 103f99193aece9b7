"""A pinned word is the same word wherever it is shown, until it is let go."""

import pytest

from pages.frame import session
from tests.pages.conftest import said, send, send_from
from tests.viz.unpacked import unpack_lines, unpack_maps, unpack_matrices, unpack_strips

ENCODER = {"model": "translate", "view": "maps", "kind": "encoder.self"}
PLAIN = "The animal didn't cross the street because it was too tired."
# The zebra is in pieces: its words have other numbers than their tokens.
SPLIT = "The zebra didn't cross the street because it was too tired."
ANIMAL, IT = 1, 8
IT_OF_SPLIT = 12


def proto(at, key):
    [found] = [
        each.proto
        for each in at.get("bidi_component")
        if each.proto.id.endswith(f"-{key}") and each.proto.bytes
    ]
    return found


def maps(at):
    first = proto(at, session.MAPS).bytes
    parts = [
        each.proto.bytes
        for each in at.get("bidi_component")
        if each.proto.id.endswith(f"-{session.MAPS}-head")
    ]
    return unpack_maps(first, *parts)


def test_the_same_word_is_pinned_in_every_kind_of_attention(open_page):
    at = open_page("attention", sentence=PLAIN, **ENCODER)
    send(at, "pin", {"side": "source", "index": ANIMAL})
    assert maps(at).pin == ("source", ANIMAL)
    assert "“animal” gives" in said(at)
    at.segmented_control(key="kind").set_value("decoder.cross").run()
    shown = maps(at)
    assert shown.pin == ("source", ANIMAL)
    assert shown.keys[ANIMAL].text == "animal"
    assert "looks most at “animal”" in said(at)
    at.segmented_control(key="kind").set_value("decoder.self").run()
    # The source has no part in it.
    assert "“animal”" not in said(at)
    at.segmented_control(key="kind").set_value("decoder.cross").run()
    at.segmented_control(key="view").set_value("lines").run()
    lines = unpack_lines(proto(at, session.LINES).bytes)
    assert lines.pinned == ("key", ANIMAL)
    at.segmented_control(key="view").set_value("word").run()
    strips = unpack_strips(proto(at, "strips").bytes)
    assert (strips.side, strips.index) == ("source", ANIMAL)


def test_a_position_that_is_clicked_in_one_view_is_looked_at_in_the_others(open_page):
    query = {"model": "translate", "sentence": PLAIN, "lens_stack": "encoder"}
    at = open_page("lessons", lessons="layers", **query)
    send(at, "pick", {"panel": 0, "row": 1, "column": ANIMAL})
    assert at.selectbox(key=session.LENS_POSITION).value == ANIMAL
    at.segmented_control(key="lessons").set_value("units").run()
    assert at.selectbox(key=session.UNIT_POSITION).value == ANIMAL
    assert unpack_matrices(proto(at, session.UNITS).bytes).pin == ("source", ANIMAL)
    at.segmented_control(key="lessons").set_value("layers").run()
    at.segmented_control(key="layers_shown").set_value("norm").run()
    assert at.selectbox(key=session.LENS_POSITION).value == ANIMAL
    # A number that is chosen pins its word, too.
    at.selectbox(key=session.LENS_POSITION).set_value(3).run()
    at.segmented_control(key="lessons").set_value("units").run()
    assert at.selectbox(key=session.UNIT_POSITION).value == 3


def test_a_pinned_word_stays_the_same_one_where_pieces_are_merged(open_page):
    query = {**ENCODER, "view": "lines", "side": "source", "token": str(IT_OF_SPLIT)}
    at = open_page("attention", sentence=SPLIT, **query)
    assert unpack_lines(proto(at, session.LINES).bytes).queries[IT_OF_SPLIT].text == "it"
    at.segmented_control(key="unit").set_value("words").run()
    lines = unpack_lines(proto(at, session.LINES).bytes)
    assert lines.pinned == ("query", IT)
    assert lines.queries[IT].text == "it"
    send_from(at, proto(at, session.LINES), "pin", {"side": "key", "index": ANIMAL})
    at.segmented_control(key="unit").set_value("tokens").run()
    lines = unpack_lines(proto(at, session.LINES).bytes)
    assert lines.pinned == ("key", 1)


@pytest.mark.parametrize("written", ["99", "²", "-1", ""])
def test_a_pin_that_is_nowhere_is_forgotten(open_page, written):
    at = open_page("attention", model="translate", view="lines", side="source", token=written)
    assert "token" not in at.query_params
    assert unpack_lines(proto(at, session.LINES).bytes).pinned is None


def test_a_word_stays_where_the_next_sentence_begins_alike(open_page):
    at = open_page("attention", sentence=PLAIN, **ENCODER)
    send(at, "pin", {"side": "source", "index": IT})
    at.text_input(key="sentence").set_value(PLAIN.replace("tired", "wide")).run()
    assert maps(at).pin == ("source", IT)
    # With another word before it, it is another "it".
    at.text_input(key="sentence").set_value(PLAIN.replace("animal", "dog")).run()
    assert maps(at).pin is None
