import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.component.payload import TokenLabel
from viz.lines.lines import DEFAULT_LINES_TEXTS, EXACT_BYTES, Lines, pack, unpack

HOSTILE = ("<script>alert(1)</script>", '"\\', "🐈‍⬛", "שלום", "\u2028", "\ud800", "{token}", "")


def words(n, prefix="w"):
    return tuple(TokenLabel(f"{prefix}{i}") for i in range(n))


def cross(heads=3, queries=5, keys=7, seed=0, /, **changes):
    weights = np.random.default_rng(seed).random((heads, queries, keys), np.float32)
    visible = np.ones((queries, keys), np.bool_)
    visible[:, -1] = keys == 1
    made = {
        "title": "Decoder layer 0, all heads: where it looks in the source",
        "weights_HQK": weights * visible,
        "visible_QK": visible,
        "heads": tuple(range(heads)),
        "queries": words(queries, "t"),
        "keys": words(keys, "s"),
        "sides": ("target", "source"),
        "predicted": words(queries, "p"),
    }
    return Lines(**(made | changes))


def header_of(payload):
    (length,) = struct.unpack_from("<I", payload)
    return json.loads(payload[4 : 4 + length])


@given(
    heads=st.integers(1, 5),
    queries=st.integers(1, 9),
    keys=st.integers(1, 9),
    threshold=st.floats(0, 1),
    data=st.data(),
)
def test_what_is_packed_comes_out_again_exactly(heads, queries, keys, threshold, data):
    hidden = data.draw(st.frozensets(st.integers(0, heads - 1), max_size=heads - 1))
    places = [("query", i) for i in range(queries)] + [("key", i) for i in range(keys)]
    pinned = data.draw(st.none() | st.sampled_from(places))
    lines = cross(
        heads, queries, keys, threshold=threshold, hidden=hidden, pinned=pinned, spoken=pinned
    )
    back = unpack(pack(lines))
    assert lines.exact
    assert np.array_equal(back.weights_HQK, lines.weights_HQK)
    assert np.array_equal(back.visible_QK, lines.visible_QK)
    names = ("title", "heads", "queries", "keys", "predicted", "sides")
    for name in (*names, "threshold", "hidden", "pinned", "spoken"):
        assert getattr(back, name) == getattr(lines, name), name
    assert back.texts == DEFAULT_LINES_TEXTS


def test_as_many_weights_as_fit_are_exact_and_more_are_rounded():
    fits = EXACT_BYTES // 4 // 100
    assert cross(1, 100, fits).exact
    assert not cross(1, 100, fits + 1).exact


def test_sixteen_heads_of_128_tokens_need_less_than_a_megabyte():
    lines = cross(16, 128, 128)
    payload = pack(lines)
    back = unpack(payload)
    assert len(payload) <= 1_000_000
    assert 0 < np.abs(back.weights_HQK - lines.weights_HQK).max() <= 1 / 510 + 1e-6
    assert np.array_equal(back.visible_QK, lines.visible_QK)


def test_numbers_begin_where_32_bit_floats_can_be_read():
    for length in range(1, 6):
        payload = pack(cross(1, 1, 1, title="x" * length, weights_HQK=np.ones((1, 1, 1), "f4")))
        assert len(payload) % 4 == 0
        assert struct.unpack_from("<f", payload, len(payload) - 4) == (1.0,)


def test_any_characters_survive():
    labels = tuple(
        TokenLabel(text, special=i % 2 == 0, unknown=i % 3 == 0) for i, text in enumerate(HOSTILE)
    )
    n = len(labels)
    lines = cross(1, n, n, queries=labels, keys=labels, title=HOSTILE[0])
    back = unpack(pack(lines))
    assert (back.queries, back.keys, back.title) == (labels, labels, HOSTILE[0])


def test_a_choice_leaves_the_content_the_same():
    lines = cross()
    content = header_of(pack(lines))["content"]
    chosen = replace(
        lines, threshold=0.5, hidden=frozenset({1}), pinned=("key", 2), spoken=("query", 1)
    )
    assert header_of(pack(chosen))["content"] == content
    assert header_of(pack(cross(3, 5, 7, 1)))["content"] != content
    assert header_of(pack(replace(lines, title="x")))["content"] != content


def test_a_page_may_translate_the_texts():
    texts = unpack(pack(cross(texts={"source": "Quelle"}))).texts
    assert texts == {**DEFAULT_LINES_TEXTS, "source": "Quelle"}


ONE = np.full((3, 5, 7), 0.5, np.float32)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights_HQK": ONE}, "visible is False"),
        ({"queries": words(4)}, r"\(3, 4, 7\)"),
        ({"keys": words(5)}, r"\(3, 5, 5\)"),
        ({"heads": (0, 1)}, r"\(2, 5, 7\)"),
        ({"heads": (0, 1, 1)}, r"\[0, 1, 1\]"),
        ({"heads": (0, 1, -1)}, "-1"),
        ({"predicted": words(4)}, "5 queries, but 4 predicted"),
        ({"sides": ("target", "left")}, "left"),
        ({"hidden": frozenset({3})}, "3"),
        ({"hidden": frozenset({0, 1, 2})}, "not all"),
        ({"threshold": 1.5}, r"1\.5"),
        ({"threshold": float("nan")}, "nan"),
        ({"pinned": ("query", 5)}, "query 5"),
        ({"pinned": ("key", 7)}, "key 7"),
        ({"pinned": ("key", -1)}, "key -1"),
        ({"pinned": ("row", 0)}, "row 0"),
        ({"spoken": ("query", 5)}, "query 5"),
        ({"texts": {"titel": "x"}}, "titel"),
    ],
)
def test_contradictions_are_refused_with_what_was_found(changes, message):
    with pytest.raises(ValueError, match=message):
        cross(**changes)
