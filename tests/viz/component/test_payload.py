"""Payloads, and texts that a page may hand over."""

import numpy as np
import pytest

from viz.component.payload import check_texts, check_weights, framed, unframed

KNOWN = {"grid": "All {n} heads", "grid.one": "The one head", "nth.other": "{n}th"}


@pytest.mark.parametrize("name", ["grid", "grid.one", "grid.few", "nth.many"])
def test_a_text_may_have_as_many_forms_as_a_language_needs(name):
    check_texts({name: "x"}, KNOWN)


@pytest.mark.parametrize("name", ["grids", "grid.some", "few"])
def test_a_text_that_is_shown_nowhere_is_refused(name):
    with pytest.raises(ValueError, match=name):
        check_texts({name: "x"}, KNOWN)


@pytest.mark.parametrize("length", range(4))
def test_arrays_come_out_again_each_from_where_it_can_be_read(length):
    arrays = [
        np.ones(3, np.bool_),
        np.arange(4, dtype=np.float32),
        np.full((1, 5), 65535, np.uint16),
        np.full(5, 9, np.uint8),
    ]
    payload = framed({"text": "x" * length}, arrays)
    header, read = unframed(payload)
    assert header["text"] == "x" * length
    assert [array.tolist() for array in read] == [[1] * 3, [0, 1, 2, 3], [65535] * 5, [9] * 5]
    begins = [array.ctypes.data - np.frombuffer(payload, "u1").ctypes.data for array in read]
    assert all(begin % 4 == 0 for begin in begins)


def test_a_number_that_json_cannot_say_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        framed({"limit": float("nan")})


HALF = np.full((3, 5, 7), 0.5, np.float32)


@pytest.mark.parametrize(
    ("weights", "visible", "message"),
    [
        (HALF[0], None, r"\(3, 5, 7\), got float32 \(5, 7\)"),
        (HALF.astype(np.float64), None, "float64"),
        (HALF * np.nan, None, "nan"),
        (HALF * 3, None, r"1\.5"),
        (-HALF, None, r"-0\.5"),
        (HALF, np.ones((7, 5), np.bool_), r"\(5, 7\), got bool \(7, 5\)"),
        (HALF, np.ones((5, 7)), "float64"),
        (HALF, np.tri(5, 7, dtype=np.bool_), "visible is False"),
    ],
)
def test_weights_that_cannot_be_drawn_are_refused(weights, visible, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weights, (3, 5, 7), visible)


def test_weights_may_end_a_little_above_1_and_be_seen_by_some_alone():
    check_weights(HALF * 2.0001, (3, 5, 7))
    check_weights(HALF * np.tri(5, 7, dtype=np.float32), (3, 5, 7), np.tri(5, 7, dtype=np.bool_))
