import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from viz import theme
from viz.component.payload import TokenLabel
from viz.plane.matrices import (
    DEFAULT_MATRICES_TEXTS,
    Axis,
    Matrices,
    Matrix,
    numbered,
    pack,
    scaled_rows,
    unpack,
)

ROWS = arrays(np.float64, (3, 4), elements=st.floats(-1e6, 1e6, allow_subnormal=False))
HOSTILE = ("</s>", "<b>", '"\\', "🐈‍⬛", "שלום", "\u2028", "\ud800", "{row}", "")


def matrix(n_rows=3, n_columns=4, seed=0, **changes):
    given = {
        "title": "Random numbers",
        "values": np.random.default_rng(seed).random((n_rows, n_columns), np.float32),
        "rows": numbered("row", n_rows),
        "columns": numbered("column", n_columns),
    }
    return Matrix(**(given | changes))


def header_of(payload):
    (length,) = struct.unpack_from("<I", payload)
    return json.loads(payload[4 : 4 + length])


@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (1, 5), (5, 1)])
def test_what_is_packed_comes_out_again(shape):
    visible = np.random.default_rng(1).random(shape) < 0.5
    panels = (
        matrix(*shape, visible=visible, hidden="−∞", note="Read it so.", value_name="weight"),
        matrix(*shape, visible=visible, texts=[["it"] * shape[1]] * shape[0], grey_words=True),
        matrix(*shape, seed=2, scale="signed", limit=0.125),
        matrix(*shape, seed=3, visible=~visible, texts=[["word"] * shape[1]] * shape[0]),
        matrix(*shape, seed=4, details=[["95 % from 1 to 2"] * shape[1]] * shape[0]),
    )
    back = unpack(pack(Matrices(panels=panels, selected=(2, 0, shape[1] - 1))))
    assert back.selected == (2, 0, shape[1] - 1)
    assert back.texts == DEFAULT_MATRICES_TEXTS
    for before, after in zip(panels, back.panels, strict=True):
        assert after.values.tobytes() == before.values.tobytes()
        assert after.values.shape == shape
        assert (after.visible is None) == (before.visible is None)
        assert before.visible is None or (after.visible == before.visible).all()
        named = ("title", "rows", "columns", "scale", "limit", "texts", "details", "note", "hidden")
        for name in (*named, "grey_words"):
            assert getattr(after, name) == getattr(before, name)


def test_any_characters_survive():
    labels = tuple(TokenLabel(text, special=i % 2 == 0) for i, text in enumerate(HOSTILE))
    axis = Axis(name="word", labels=labels, side="target")
    n = len(labels)
    shown = matrix(n, n, rows=axis, columns=axis, texts=[HOSTILE] * n)
    (back,) = unpack(pack(Matrices(panels=(shown,)))).panels
    assert back.rows == back.columns == axis
    assert tuple(back.texts[0]) == HOSTILE


def test_what_differs_and_what_is_linked_come_out_again():
    labels = tuple(map(TokenLabel, ("too", "wide")))
    axis = Axis(name="word", labels=labels, side="source", differs=(1,), links=(0, 7))
    (back,) = unpack(pack(Matrices(panels=(matrix(2, 2, rows=axis, columns=axis),)))).panels
    assert back.rows == back.columns == axis


def test_numbers_begin_where_32_bit_floats_can_be_read():
    for length in range(1, 6):
        shown = matrix(1, 1, title="x" * length, values=np.ones((1, 1), np.float32))
        payload = pack(Matrices(panels=(shown,)))
        assert struct.unpack_from("<f", payload, len(payload) - 4) == (1.0,)
        assert len(payload) % 4 == 0


def contents(matrices):
    return [panel["content"] for panel in header_of(pack(matrices))["panels"]]


def test_only_the_panel_that_changed_has_another_content():
    panels = (matrix(), matrix(seed=1))
    before = contents(Matrices(panels=panels))
    assert contents(Matrices(panels=panels, selected=(0, 1, 1))) == before
    assert contents(Matrices(panels=(panels[0], matrix(seed=2))))[0] == before[0]
    assert contents(Matrices(panels=(panels[0], matrix(seed=2))))[1] != before[1]
    assert contents(Matrices(panels=(replace(panels[0], note="new"), panels[1])))[0] != before[0]
    hidden = replace(panels[0], visible=np.zeros((3, 4), np.bool_))
    assert contents(Matrices(panels=(hidden, panels[1])))[0] != before[0]


def test_picks_are_sent_only_if_the_page_wants_them():
    matrices = Matrices(panels=(matrix(),))
    assert header_of(pack(matrices))["picks"] is False
    assert header_of(pack(matrices, picks=True))["picks"] is True


def test_a_page_may_translate_the_texts():
    texts = unpack(pack(Matrices(panels=(matrix(),), texts={"hidden": "verdeckt"}))).texts
    assert texts == {**DEFAULT_MATRICES_TEXTS, "hidden": "verdeckt"}


def test_numbers_count_from_where_they_are_told():
    assert [label.text for label in numbered("layer", 3, start=-1).labels] == ["-1", "0", "1"]


def test_hidden_cells_may_hold_what_the_scale_does_not():
    values = np.array([[-1e30, 1.0]], np.float32)
    visible = np.array([[False, True]])
    assert matrix(1, 2, values=values, visible=visible).values[0, 0] < 0


def test_values_beyond_the_limit_are_kept():
    values = np.array([[7.0, 0.5]], np.float32)
    (back,) = unpack(pack(Matrices(panels=(matrix(1, 2, values=values),)))).panels
    assert back.values.tolist() == [[7.0, 0.5]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": np.zeros(3, np.float32)}, r"\(rows, columns\), got \(3,\)"),
        ({"values": np.zeros((0, 4), np.float32)}, r"\(0, 4\)"),
        ({"values": np.zeros((3, 4))}, "float64"),
        ({"values": np.full((3, 4), np.nan, np.float32)}, "finite, got nan at row 0, column 0"),
        ({"values": np.full((3, 4), -np.inf, np.float32)}, "finite, got -inf"),
        ({"values": np.full((3, 4), -0.5, np.float32)}, r"0 or more.*-0\.5 at row 0"),
        ({"visible": np.ones((4, 3), np.bool_)}, r"bool \(3, 4\), got bool \(4, 3\)"),
        ({"visible": np.ones((3, 4))}, "float64"),
        ({"rows": numbered("row", 2)}, r"labels for \(3, 4\), got \(2, 4\)"),
        ({"columns": numbered("column", 5)}, r"labels for \(3, 4\), got \(3, 5\)"),
        ({"limit": 0.0}, "limit.*above 0, got 0"),
        ({"limit": -1.0}, "above 0, got -1"),
        ({"limit": float("nan")}, "above 0, got nan"),
        ({"limit": float("inf")}, "above 0, got inf"),
        ({"scale": "other"}, "other"),
        ({"texts": [["a"] * 4] * 2}, r"\(3, 4\), got rows of \[4, 4\]"),
        ({"texts": [["a"] * 3] * 3}, r"rows of \[3, 3, 3\]"),
        ({"details": [["a"] * 3] * 3}, r"details.*rows of \[3, 3, 3\]"),
    ],
)
def test_contradictions_are_refused_with_both_sides(changes, message):
    with pytest.raises(ValueError, match=message):
        matrix(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"panels": ()}, "at least one"),
        ({"selected": (1, 0, 0)}, "panel 1 is not among 1"),
        ({"selected": (0, 3, 0)}, "row 3, column 0 is not in panel 0 of 3 × 4"),
        ({"selected": (0, 0, -1)}, "column -1"),
        ({"texts": {"titel": "x"}}, "titel"),
    ],
)
def test_what_cannot_be_shown_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Matrices(**({"panels": (matrix(),)} | changes))


def test_a_side_that_has_no_tint_is_refused():
    with pytest.raises(ValueError, match="left"):
        Axis(name="word", labels=(), side="left")


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ({"differs": (0, 2, -1)}, r"'word' has no positions \[-1, 2\]"),
        ({"links": (0, 1, 2)}, "'word' needs 2 links, got 3"),
    ],
)
def test_marks_of_labels_that_are_not_there_are_refused(marks, message):
    with pytest.raises(ValueError, match=message):
        Axis(name="word", labels=(TokenLabel("too"), TokenLabel("wide")), **marks)


def test_no_difference_is_one_of_the_colours():
    table = theme.diverging_table()
    assert table.shape == (255, 3)
    assert tuple(table[127]) == theme.DIVERGING[2]
    assert tuple(table[0]) == theme.DIVERGING[0]
    assert tuple(table[254]) == theme.DIVERGING[4]


@given(ROWS)
def test_the_largest_magnitude_of_each_row_becomes_1_and_signs_stay(values):
    found = scaled_rows(values)
    assert found.dtype == np.float32
    for row, scaled in zip(values, found, strict=True):
        largest = max(abs(value) for value in row)
        assert max(abs(each) for each in scaled) == (1.0 if largest else 0.0)
        assert all(value * each >= 0 for value, each in zip(row, scaled, strict=True))


@given(ROWS, st.floats(1e-3, 1e3))
def test_the_unit_of_a_row_does_not_matter(values, unit):
    assert np.allclose(scaled_rows(values * unit), scaled_rows(values), atol=1e-6)
