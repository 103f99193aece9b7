"""What Python packs is what the components read."""

import dataclasses
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.browser.apps import (
    decoding_cases,
    lines_cases,
    maps_cases,
    matrices_cases,
    strips_cases,
    whole_cases,
)
from tests.viz import unpacked
from viz.component.payload import TokenLabel, complete, framed
from viz.lines import lines
from viz.plane import maps, matrices, strips
from viz.plane.matrices import scaled_rows
from viz.stepper.decoding import Alternative, StepView, pack_decoding
from viz.whole import whole as wholes

CASES = {
    "decoding": (decoding_cases.CASES, pack_decoding),
    "lines": (lines_cases.CASES, lines.pack),
    "maps": (maps_cases.CASES, maps.pack),
    "matrices": (matrices_cases.CASES, matrices.pack),
    "strips": (strips_cases.CASES, strips.pack),
    "whole": (whole_cases.CASES, wholes.pack),
}
COARSE = {
    "decoding": 1 / 65535,
    "whole": 1 / 65535,
    "lines": 1 / 510 + 1e-6,
    "maps": 1 / 510 + 1e-6,
}
"""Component → how far weights may be from what was packed."""


def assert_alike(packed, view, within):
    """Hold every field of what was read against what was packed; texts are those of the default."""
    match view:
        case np.ndarray():
            assert packed.shape == view.shape
            assert np.abs(packed.astype(np.float64) - view).max(initial=0) <= within
        case _ if dataclasses.is_dataclass(view):
            for field in dataclasses.fields(view):
                # Ids choose the bars that are marked, and are not sent.
                if field.name not in ("texts", "chosen_token", "true_token"):
                    assert_alike(getattr(packed, field.name), getattr(view, field.name), within)
        case dict():
            assert_alike(list(packed.items()), list(view.items()), within)
        case list() | tuple() | range():
            assert len(packed) == len(view)
            for one, other in zip(packed, view, strict=True):
                assert_alike(one, other, within)
        case _:
            assert packed == view


@pytest.mark.parametrize(
    ("name", "case"), [(name, case) for name, (cases, _) in CASES.items() for case in cases]
)
def test_what_is_packed_comes_out_again(name, case):
    cases, pack = CASES[name]
    view = cases[case]()
    unpack = getattr(unpacked, f"unpack_{name}")
    assert_alike(unpack(pack(view)), view, COARSE.get(name, 0.0))


@given(st.text(), st.lists(st.sampled_from(["?", "<f4", "<u2", "u1"])))
def test_any_text_survives_and_arrays_begin_where_they_can_be_read(text, types):
    sent = [np.arange(2 * i + 1).astype(kind) for i, kind in enumerate(types)]
    payload = framed({"text": text}, sent)
    header, read = unpacked.unframed(payload)
    assert header["text"] == text
    assert [array.tolist() for array in read] == [array.tolist() for array in sent]
    start = np.frombuffer(payload, "u1").ctypes.data
    assert all((array.ctypes.data - start) % 4 == 0 for array in read)


def test_texts_are_replaced_in_all_plural_forms_and_unknown_ones_refused():
    known = {"grid": "All {n} heads", "grid.one": "The one head", "nth.other": "{n}th"}
    assert complete({"grid.few": "x", "nth.many": "y"}, known)["grid"] == "All {n} heads"
    for name in ("grids", "grid.some", "few"):
        with pytest.raises(ValueError, match=name):
            complete({name: "x"}, known)


@pytest.mark.parametrize(
    ("view", "pack", "choice"),
    [
        (maps_cases.known, maps.pack, {"selected": (0, 1), "zoom": (1, 2, 3, 4)}),
        (lines_cases.several, lines.pack, {"threshold": 0.5, "pinned": ("key", 2)}),
        (decoding_cases.known, pack_decoding, {"start": 2, "arrival": 3}),
        (whole_cases.known, wholes.pack, {"step": 5}),
    ],
)
def test_a_choice_leaves_the_content_the_same(view, pack, choice):
    def content(shown):
        return unpacked.unframed(pack(shown))[0]["content"]

    assert content(replace(view(), **choice)) == content(view())
    assert content(replace(view(), texts={"unknown": "x"})) != content(view())


def test_only_the_matrix_that_changed_has_another_content():
    shown = matrices_cases.known()

    def contents(*panels):
        header, _ = unpacked.unframed(matrices.pack(replace(shown, panels=panels)))
        return [panel["content"] for panel in header["panels"]]

    first, second = shown.panels
    before = contents(first, second)
    for other in (replace(first, note="new"), replace(first, values=first.values + 1)):
        after = contents(other, second)
        assert after[0] != before[0]
        assert after[1] == before[1]


def labelled(weights):
    """An encoder's maps of these weights."""
    words = tuple(TokenLabel(f"unforgettable{i}") for i in range(weights.shape[-1]))
    visible = np.ones(weights.shape[2:], np.bool_)
    return maps.AttentionMaps(
        kind="encoder.self",
        sides=("source", "source"),
        weights=weights,
        visible=visible,
        queries=words,
        keys=words,
    )


def test_a_head_is_sent_in_bytes_as_fine_as_the_scale_and_the_chosen_one_exactly():
    weights = np.array([[[[1.00001, 0.0], [0.5, 0.498]]]], np.float32)
    payload = maps.pack(labelled(weights))
    header, sent = unpacked.unframed(payload)
    assert sent[header["tiles"]].tolist() == [255, 0, 128, 127]
    assert (unpacked.unpack_maps(payload).weights == weights).all()


@pytest.mark.parametrize("shape", [(2, 2, 513, 513), (12, 16, 128, 128), (1, 1, 1200, 1200)])
def test_very_many_weights_are_pooled_except_for_the_exact_ones(shape):
    weights = np.random.default_rng(0).random(shape, np.float32)
    payload = maps.pack(labelled(weights))
    pool = unpacked.unframed(payload)[0]["pool"]
    assert pool > 1
    exactly = shape[2] * shape[3] <= maps.MOST_EXACT
    assert len(payload) < 1_000_000 + (4 if exactly else 1) * shape[2] * shape[3] + 100_000
    back = unpacked.unpack_maps(payload).weights
    assert np.abs(back[0, 0] - weights[0, 0]).max() <= (0 if exactly else 1 / 509)
    if shape[:2] != (1, 1):
        row, column = 77 // pool * pool, 34 // pool * pool
        block = weights[-1, -1, row : row + pool, column : column + pool]
        assert back[-1, -1, 77, 34] == pytest.approx(block.max(), abs=1 / 509)
    # In a file, no server could send another head.
    whole = unpacked.unpack_maps(maps.pack(labelled(weights), whole=True)).weights
    assert np.abs(whole - weights).max() <= 1 / 509


def test_another_head_of_512_tokens_is_a_byte_a_weight_and_exact_where_it_is_zoomed_to():
    weights = np.random.default_rng(0).random((2, 2, 512, 512), np.float32)
    shown = replace(labelled(weights), selected=(1, 0))
    came, content = maps.pack(shown), maps.shared(shown).content
    assert len(maps.pack_head(shown, content, key="")) < 512 * 512 + 1000
    head = maps.pack_head(replace(shown, zoom=(100, 200, 60, 70)), content, key="")
    assert len(head) < 512 * 512 + 4 * 60 * 70 + 1000
    part = np.s_[1, 0, 100:160, 200:270]
    assert (unpacked.unpack_maps(came, head).weights[part] == weights[part]).all()


ROWS = arrays(np.float64, (3, 4), elements=st.floats(-1e6, 1e6, allow_subnormal=False))


@given(ROWS, st.floats(1e-3, 1e3))
def test_the_largest_magnitude_of_each_row_becomes_1_whatever_its_unit(values, unit):
    found = scaled_rows(values)
    assert np.allclose(scaled_rows(values * unit), found, atol=1e-6)
    for row, scaled in zip(values, found, strict=True):
        assert np.abs(scaled).max() == (1.0 if row.any() else 0.0)
        assert (row * scaled >= 0).all()


def marked(step):
    """Return which alternatives of a step are marked as chosen and as true; -1 for none."""
    view = decoding_cases.known()
    free = replace(view.free, steps=(step, *view.free.steps[1:]))
    header, _ = unpacked.unframed(pack_decoding(replace(view, free=free)))
    written = header["sides"][0]["steps"][0]
    return written["chosenAt"], written["trueAt"]


def test_of_two_tokens_that_read_the_same_the_right_one_is_marked():
    le, la = TokenLabel("le"), TokenLabel("la")
    top = (Alternative(7, le, 0.5), Alternative(8, le, 0.3), Alternative(9, la, 0.1))
    step = StepView(le, 0.3, top, 0.1, le, 0.5, 0, chosen_token=8, true_token=7)
    assert marked(step) == (1, 0)
    assert marked(replace(step, chosen=TokenLabel("chat"), chosen_token=5)) == (-1, 0)
    # A token may read otherwise in a list ("␣le"): its id counts.
    assert marked(replace(step, chosen=la, true_token=9)) == (1, 2)
    assert marked(replace(step, true=None, true_token=None)) == (1, -1)
