from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.heads import Kind
from viz.component.payload import TokenLabel, unframed
from viz.plane.strips import (
    DEFAULT_STRIPS_TEXTS,
    StripGroup,
    Strips,
    pack,
    unpack,
)

HOSTILE = (
    "<script>alert(1)</script>",
    "</s>",
    '"\\',
    "🐈‍⬛",
    "שלום",
    "\u2028",
    "\ud800",
    "{key}",
    "",
)


def words(n, prefix="w"):
    return tuple(TokenLabel(f"{prefix}{i}") for i in range(n))


def group(kind="decoder.cross", strips=4, tokens=7, hidden=(), seed=0):
    visible = np.ones(tokens, np.bool_)
    visible[list(hidden)] = False
    weights = np.random.default_rng(seed).random((strips, tokens), np.float32) * visible
    heads = tuple((strip // 2, strip % 2) for strip in range(strips))
    sides = Kind(kind).sides
    return StripGroup(kind=kind, sides=sides, heads=heads, weights=weights, visible=visible)


def strips(**changes):
    """A target token of 5 that are fed; 7 source tokens."""
    given = {
        "source": words(7),
        "target": words(6, "t"),
        "side": "target",
        "index": 2,
        "direction": "at",
        "groups": (group("decoder.self", tokens=5, hidden=(3, 4)), group()),
    }
    return Strips(**(given | changes))


def test_what_is_packed_comes_out_again_exactly():
    shown = strips(note="a note")
    back = unpack(pack(shown))
    for name in ("source", "target", "side", "index", "direction", "note"):
        assert getattr(back, name) == getattr(shown, name)
    for one, other in zip(back.groups, shown.groups, strict=True):
        assert (one.kind, one.sides, one.heads) == (other.kind, other.sides, other.heads)
        assert (one.weights == other.weights).all()
        assert (one.visible == other.visible).all()
    assert back.texts == DEFAULT_STRIPS_TEXTS


def test_any_characters_survive():
    labels = tuple(TokenLabel(text, special=i % 2 == 0) for i, text in enumerate(HOSTILE))
    cross = group(tokens=len(HOSTILE))
    assert unpack(pack(strips(source=labels, groups=[cross]))).source == labels


def test_a_page_may_translate_the_texts():
    texts = unpack(pack(strips(texts={"source": "Quelle"}))).texts
    assert (texts["source"], texts["target"]) == ("Quelle", "target")


@given(
    arrays(
        np.float32,
        st.tuples(st.integers(1, 8), st.integers(1, 4)),
        elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    )
)
def test_largest_first_only_changes_the_order_and_keeps_it_among_equals(weights):
    heads = [(0, strip) for strip in range(len(weights))]
    visible = np.ones(weights.shape[1], np.bool_)
    sides = ("source", "source")
    shown = StripGroup(
        kind="encoder.self", sides=sides, heads=heads, weights=weights, visible=visible
    )
    largest = shown.largest_first()
    expected = sorted(range(len(weights)), key=lambda strip: (-max(weights[strip]), strip))
    assert [head for _, head in largest.heads] == expected
    assert (largest.weights == weights[expected]).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "other"}, "other"),
        ({"weights": np.zeros((0, 7), np.float32)}, r"\(0, 7\)"),
        ({"visible": np.zeros(7, np.bool_)}, "visible is False"),
        ({"visible": np.ones(6, np.bool_)}, r"\(4, 6\)"),
        ({"heads": [(0, 0)]}, r"\(1, 7\).*\(4, 7\)"),
    ],
)
def test_groups_that_contradict_themselves_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(group(), **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"index": 5}, "target 5"),
        ({"index": -1}, "target -1"),
        ({"side": "other"}, "other 2"),
        ({"direction": "up"}, "up"),
        ({"side": "source"}, "decoder.self has no source token"),
        ({"direction": "by", "groups": [group()]}, "decoder.cross has no target token"),
        ({"groups": [group(tokens=5)]}, "7 source tokens, got 5"),
        ({"groups": [group("decoder.self", tokens=6)]}, "5 target tokens, got 6"),
        ({"texts": {"titel": "x"}}, "titel"),
    ],
)
def test_strips_of_other_tokens_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        strips(**changes)


def test_a_source_token_is_looked_at_by_the_target_tokens_that_are_fed():
    shown = strips(side="source", direction="by", groups=[group(tokens=5)])
    [written] = unframed(pack(shown))[0]["panels"]
    assert (written["columns"]["side"], written["shape"]) == ("target", [4, 5])
