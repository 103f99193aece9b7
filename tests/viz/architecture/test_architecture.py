import re
from dataclasses import replace

import pytest

from viz.architecture.architecture import (
    DEFAULT_ARCHITECTURE_TEXTS,
    Architecture,
    Arrow,
    Node,
    Stack,
    component_assets,
    pack,
    unpack,
)

BASE = Architecture(
    stacks=(Stack("left", ("left layer 0",)), Stack("right", ())),
    nodes=(
        Node(id="in", shape="tokens", stack="left", label="in", group="source"),
        Node(id="left.norm", shape="part", stack="left", layer=0, block="left.box", kind="norm"),
        Node(
            id="left.box",
            shape="part",
            stack="left",
            layer=0,
            block="left.box",
            kind="box",
            label="Box",
            name="left layer 0: Box",
            detail="15 × 137",
            group="attention",
        ),
        Node(id="left.sum", shape="sum", stack="left", layer=0, block="left.box"),
        Node(id="right.box", shape="part", stack="right", kind="box", label="Box"),
    ),
    arrows=(
        Arrow("flow", "in", "left.norm"),
        Arrow("flow", "left.norm", "left.box"),
        Arrow("flow", "left.box", "left.sum"),
        Arrow("residual", "in", "left.sum"),
        Arrow("memory", "left.sum", "right.box"),
    ),
    selected="left.box",
)


def changed(index, **changes):
    """The picture's nodes, one of them changed."""
    nodes = list(BASE.nodes)
    nodes[index] = replace(nodes[index], **changes)
    return {"nodes": tuple(nodes)}


def test_the_parts_are_those_that_were_handed_over_in_their_order():
    assert BASE.ids == ("left.norm", "left.box", "right.box")


def test_the_component_knows_no_part_and_no_order():
    own = component_assets().js.partition("What belongs to what")[2]
    for name in ("encoder", "decoder", "feed_forward", "cross", "self", "softmax", "embedding"):
        assert not re.search(rf"""["'.`]{name}\b""", own), name


def test_what_is_packed_comes_out_again():
    back = unpack(pack(BASE))
    assert replace(back, texts={}) == BASE
    assert back.texts == DEFAULT_ARCHITECTURE_TEXTS


def test_a_page_may_translate_the_texts():
    texts = unpack(pack(replace(BASE, texts={"memory": "Gedächtnis"}))).texts
    assert (texts["memory"], texts["tied"]) == ("Gedächtnis", "shared")


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '"\\', "שלום", "\u2028", ""])
def test_any_characters_survive(text):
    shown = replace(BASE, **changed(2, label=text, name=text, detail=text))
    node = unpack(pack(shown)).nodes[2]
    assert (node.label, node.name, node.detail) == (text, text, text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"selected": "left.layer"}, r"left\.layer"),
        ({"selected": ""}, "part"),
        ({"selected": "in"}, "'in' is not in this model"),
        ({"stacks": ()}, "not 0"),
        ({"stacks": (*BASE.stacks, Stack("third", ()))}, "not 3"),
        (changed(2, id="left.norm"), "one id"),
        (changed(2, stack="middle"), "'middle', which is no stack"),
        (changed(2, layer=1), "layer 1"),
        (changed(2, layer=-1), "layer -1"),
        (changed(2, shape="star"), "'star'"),
        ({"arrows": (Arrow("jump", "in", "left.box"),)}, "'jump'"),
        ({"arrows": (Arrow("flow", "in", "out"),)}, "'out' leads nowhere"),
        ({"texts": {"crosss": "x"}}, "crosss"),
    ],
)
def test_an_architecture_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(BASE, **changes)
