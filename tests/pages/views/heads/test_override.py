import html
import re

import numpy as np
import pytest

from core.heads import Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.overriding import rewired
from pages.frame.language import percent
from pages.views.heads.override import HOW, MAP, PAIR
from tests.pages.conftest import ROOT, said, send_from
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
GUIDED = Site("encoder", 2, "self")


@pytest.fixture
def open_override(open_page):
    return lambda **query_params: open_page("heads", trial="override", **query_params)


@pytest.fixture(scope="module")
def inspection():
    return inspect_sentence(load_run(ROOT / "gallery" / "translate-guided"), TIRED)


def protos(at):
    return [each.proto for each in at.get("bidi_component")]


def pictures(at):
    """Return the map, and the row before and after where there is one."""
    return [unpack(proto.bytes) for proto in protos(at)]


def click(at, element, row, column):
    [proto] = [each for each in protos(at) if element in each.id]
    send_from(at, proto, "pick", {"panel": 0, "row": row, "column": column})


def read(at):
    return html.unescape(said(at))


def table(at):
    return at.dataframe[0].value


def test_it_is_moved_from_the_animal_to_the_street_and_il_becomes_elle(open_override, inspection):
    at = open_override()
    assert "**it** is made to look at **street** instead of **animal**." in read(at)
    assert "parce **qu’il** était trop **fatigué.**" in read(at)
    assert "parce **qu’elle** était trop **fatiguée.**" in read(at)
    shown, pair = pictures(at)
    texts = [token.text for token in inspection.source_tokens]
    it, animal, street = (texts.index(word) for word in ("it", "animal", "street"))
    attention = inspection.attention[GUIDED]
    assert np.array_equal(shown.panels[0].values, attention.weights_HQK[0])
    assert shown.selected == (0, it, street)
    assert list(shown.panels[0].rows.differs) == [it]
    before_K = attention.weights_HQK[0, it]
    after_K = rewired(before_K, street, everything=False)
    assert np.array_equal(pair.panels[0].values, np.stack([before_K, after_K]))
    # Further rows are of the adjective, which agrees with the pronoun.
    assert table(at)["token"].tolist()[:2] == ["10 il", "10 elle"]
    assert table(at)["before"].tolist()[:2] == pytest.approx([1, 0], abs=0.01)
    assert table(at)["after"].tolist()[:2] == pytest.approx([0, 1], abs=0.01)
    before, after = table(at)["before"][0], table(at)["after"][0]
    result = f"The translation **changes**: **il** {percent(before)} → **{percent(after)}**."
    assert (
        f"**What you see**] **it** is made to look at **street** instead of **animal**. {result}"
        in read(at)
    )
    assert re.search(r"[12] of 16 steps change", read(at))
    assert "n = 1" in read(at)


def test_a_click_into_the_map_moves_that_row_and_is_in_the_link(open_override, inspection):
    at = open_override()
    click(at, MAP, 7, 2)
    assert at.query_params["move"] == "encoder.self,7,2"
    texts = [token.text for token in inspection.source_tokens]
    assert f"**{texts[7]}** is made to look at **{texts[2]}**" in read(at)
    assert pictures(at)[0].selected == (0, 7, 2)


def test_a_click_into_the_row_before_and_after_keeps_the_row(open_override):
    at = open_override(move="encoder.self,7,0")
    click(at, PAIR, 1, 4)
    assert at.query_params["move"] == "encoder.self,7,4"


def test_what_the_row_looks_at_most_already_moves_nothing(open_override, inspection):
    largest = int(inspection.attention[GUIDED].weights_HQK[0, 8].argmax())
    at = open_override(move=f"encoder.self,8,{largest}")
    assert "already: nothing is moved" in read(at)
    assert "Nothing is changed yet: L’animal" in read(at)
    # Of what was not moved nothing is concluded.
    assert "No step of 16 changes" not in read(at)
    assert "does not need this look" not in read(at)
    assert not at.dataframe


def test_a_hidden_key_cannot_be_chosen_and_says_so(open_override):
    at = open_override(kind="decoder self", layer="0", head="1", move="decoder.self,2,5")
    assert "the mask hides it, so no weight can go there" in read(at)
    assert "After:" not in read(at)
    [shown] = pictures(at)
    assert shown.selected == (0, 2, 5)
    click(at, MAP, 5, 2)
    assert "is made to look at" in read(at)


def test_a_decoders_row_is_named_by_what_is_fed_and_what_is_predicted(open_override):
    at = open_override(kind="cross", layer="0", head="1", move="decoder.cross,6,2")
    assert "**traversé → la** is made to look at" in read(at)


@pytest.mark.parametrize(
    "wrong",
    ["encoder.self,99,0", "encoder.self,0,99", "encoder.self,x,1", "cross", "decoder.self,8,5", ""],
)
def test_a_move_that_cannot_be_falls_back_to_the_default(open_override, wrong):
    at = open_override(move=wrong, moved="some of it")
    assert "**it** is made to look at **street** instead of **animal**." in read(at)


@pytest.mark.parametrize(("older", "name"), [("largest weight", "largest"), ("all weight", "all")])
def test_a_link_to_what_was_moved_before_opens_it(open_override, older, name):
    assert open_override(moved=older).segmented_control(key=HOW).value == name


def test_of_words_that_come_more_than_once_the_position_is_said(open_override):
    at = open_override(
        sentence="The dog saw the dog because the dog was tired.", move="encoder.self,7,1"
    )
    assert "**dog (position 7)** is made to look at **dog (position 1)** instead of" in read(at)


@pytest.mark.parametrize(
    ("asked", "pronoun"),
    [
        ({"model": "translate-guided", "layer": "1", "head": "1"}, "qu’il"),
        ({"model": "translate", "layer": "2", "head": "0"}, "qu’il"),
        ({"move": "encoder.self,8,2"}, "qu’elle"),
        ({"move": "encoder.self,8,4"}, "qu’il"),
    ],
)
def test_what_to_try_is_true(open_override, asked, pronoun):
    """Only the guided head turns the pronoun; “did” does, as a street would, “cross” does not."""
    at = open_override(**{"move": "encoder.self,8,6", **asked})
    [result] = [line for line in read(at).splitlines() if line.startswith(("After", "The trans"))]
    assert pronoun in result


def test_all_weight_can_be_put_on_one_key(open_override):
    at = open_override(move="encoder.self,11,3", moved="all")
    assert "and at nothing else" in read(at)
    _, pair = pictures(at)
    assert pair.panels[0].values[1].tolist() == np.eye(14)[3].tolist()
