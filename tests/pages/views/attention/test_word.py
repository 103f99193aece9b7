import numpy as np
import pytest

from tests.pages.conftest import component, inspected, send_from
from tests.pages.views.attention.conftest import seen, written
from tests.viz.unpacked import unpack_strips as unpack

TURNS = [
    ("source", "looks at", ["encoder.self"]),
    ("source", "is looked at by", ["encoder.self", "decoder.cross"]),
    ("target", "looks at", ["decoder.self", "decoder.cross"]),
    ("target", "is looked at by", ["decoder.self"]),
]


def shown(at):
    """Return the strips that the page shows, as the component reads them."""
    return unpack(component(at, "strips").bytes)


def followed(at):
    strips = shown(at)
    return strips.side, getattr(strips, strips.side)[strips.index].text


def expected(inspection, kind, index, direction):
    """Return head → the row or column of its map, by taking it out of each map by itself."""
    found = {}
    for site, attention in inspection.attention.items():
        if site.attention == kind:
            for head, weights in enumerate(attention.weights_HQK):
                map_QK = weights if direction == "looks at" else weights.T
                found[site.layer, head] = map_QK[index]
    return found


@pytest.mark.parametrize(("side", "direction", "kinds"), TURNS)
def test_every_head_of_a_word_has_its_strip_and_the_largest_weight_is_named(
    open_view, side, direction, kinds
):
    at, _ = open_view("word", side=side, token="5", direction=direction)
    strips = shown(at)
    assert (strips.side, strips.index) == (side, 5)
    assert [group.kind for group in strips.groups] == kinds
    inspection = inspected()
    for group in strips.groups:
        maps = expected(inspection, group.kind, 5, direction)
        assert set(group.heads) == set(maps)
        for head, weights in zip(group.heads, group.weights, strict=True):
            assert np.array_equal(weights, maps[head])
    largest = {}
    strips = [
        (group.kind, head, weights.tolist())
        for group in shown(at).groups
        for head, weights in zip(group.heads, group.weights, strict=True)
    ]
    for kind, head, weights in sorted(strips, key=lambda each: -max(each[2])):
        source = kind == "encoder.self" or (kind == "decoder.cross" and direction == "looks at")
        others = inspection.source_tokens if source else inspection.fed_tokens
        name = {"encoder.self": "", "decoder.self": "self-attention "}.get(kind, "cross-attention ")
        where = f"{kind.split('.')[0]} layer {head[0]}, {name}head {head[1]}"
        text = others[weights.index(max(weights))].text
        largest.setdefault(text, (written(max(weights)), where))
    first, (weight, where) = next(iter(largest.items()))
    text = f"gets **{weight}** of the attention of “{first}” in {where}"
    if direction == "looks at":
        text = f"gives “{first}” **{weight}** of its attention in {where}"
    assert text in seen(at)


def test_it_opens_on_the_pronoun_and_the_head_that_finds_its_antecedent_comes_first(open_view):
    at, _ = open_view("word")
    assert followed(at) == ("source", "it")
    [group] = shown(at).groups
    assert group.heads[0] == (2, 0)
    assert shown(at).source[group.weights[0].argmax()].text == "animal"
    assert "in encoder layer 2, head 0." in seen(at)
    assert (np.diff(group.weights.max(axis=1)) <= 0).all()


def test_it_begins_where_heads_look_from_and_says_so_where_none_does(open_view):
    at, _ = open_view("word", model="bottleneck-attention")
    assert followed(at)[0] == "target"
    at, _ = open_view("word", model="bottleneck-attention", side="source", token="0")
    assert seen(at) == "No head of this model looks from “k”."


def test_a_click_on_a_word_follows_it_and_stands_in_the_link(open_view):
    at, _ = open_view("word")
    send_from(at, component(at, "strips"), "pin", {"side": "target", "index": 11})
    assert followed(at) == ("target", "il")
    assert (at.query_params["side"], at.query_params["token"]) == ("target", "11")
    assert "Fed “il”, the decoder predicts “était”." in shown(at).note


def test_a_click_on_a_strips_name_opens_that_head_in_the_maps(open_view):
    at, _ = open_view("word", side="target", token="3")
    head = {"kind": "decoder.cross", "layer": 1, "head": 3}
    send_from(at, component(at, "strips"), "strip", head)
    assert at.segmented_control(key="view").value == "maps"
    assert at.segmented_control(key="kind").value == "decoder.cross"
    assert (at.selectbox(key="layer").value, at.selectbox(key="head").value) == (1, 3)
