from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.component import payload
from viz.scrubber.scrubber import (
    DEFAULT_SCRUBBER_TEXTS,
    POINTS_SHOWN,
    Scrubber,
    pack_scrubber,
)

BASE = Scrubber(
    stops=(0, 10, 200),
    chosen=200,
    labels=("", "loss 5", "loss 1.93 · exact match 12 %"),
    steps=(10, 20, 200),
    losses=(5.0, 4.1234567, 0.0),
    held_out_steps=(200,),
    held_out_losses=(1.25,),
)


def header_of(scrubber):
    return payload.unframed(pack_scrubber(scrubber))[0]


def test_what_is_packed_is_what_was_given():
    header = header_of(BASE)
    assert header["stops"] == [0, 10, 200]
    assert header["chosen"] == 200
    assert header["labels"] == list(BASE.labels)
    assert header["training"] == [[10, 5.0], [20, 4.1235], [200, 0.0]]
    assert header["held_out"] == [[200, 1.25]]
    assert header["texts"] == DEFAULT_SCRUBBER_TEXTS


def test_numbers_of_numpy_can_be_packed():
    given = replace(
        BASE,
        stops=np.array([0, 200]),
        chosen=np.int64(200),
        labels=(),
        steps=np.array([10, 20]),
        losses=np.array([2.0, 1.0], np.float32),
    )
    assert header_of(given)["training"] == [[10, 2.0], [20, 1.0]]
    assert header_of(given)["labels"] == ["", ""]


def test_stops_are_enough():
    header = header_of(Scrubber(stops=(0,), chosen=0))
    assert (header["training"], header["held_out"], header["labels"]) == ([], [], [""])


def training_of(steps, losses):
    """Return steps and losses of the curve that is sent."""
    header = header_of(Scrubber(stops=(0,), chosen=0, steps=steps, losses=losses))
    return map(list, zip(*header["training"], strict=True))


@given(st.integers(1, 5000), st.integers(1, 50), st.integers(0, 2**32 - 1))
def test_a_curve_that_is_sent_keeps_its_extremes_and_its_end(count, every, seed):
    steps = every * np.arange(count)
    losses = np.random.default_rng(seed).lognormal(size=count)
    kept, _ = training_of(steps, losses)
    assert len(kept) <= POINTS_SHOWN
    assert kept == sorted(set(kept))
    assert {steps[losses.argmin()], steps[losses.argmax()], 0, steps[-1]} <= set(kept)


def test_a_curve_that_is_sent_has_no_wide_gap():
    steps = np.arange(10, 50_001, 10)
    kept, _ = training_of(steps, np.ones(len(steps)))
    ratios = np.array(kept[1:]) / kept[:-1]
    assert ratios[np.array(kept[:-1]) > 1000].max() < 1.07


def test_a_short_curve_is_left_whole():
    steps, _ = training_of(range(POINTS_SHOWN), [1.0] * POINTS_SHOWN)
    assert steps == list(range(POINTS_SHOWN))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stops": (), "labels": ()}, "at least one stop"),
        ({"stops": (0, 0, 200)}, "rising steps from 0 on, got 0 after 0"),
        ({"stops": (-1, 0, 200)}, "got -1"),
        ({"chosen": 20}, r"chosen step 20 is no stop; stops are \[0, 10, 200\]"),
        ({"labels": ("a",)}, "3 stops need as many labels, got 1"),
        ({"steps": (10, 20)}, "losses need one step each, got 2 for 3"),
        ({"steps": (10, 5, 20)}, "losses need rising steps from 0 on, got 5 after 10"),
        ({"losses": (1.0, float("nan"), 1.0)}, "got nan at step 20"),
        ({"losses": (1.0, 1.0, float("inf"))}, "got inf at step 200"),
        ({"losses": (1.0, -0.5, 1.0)}, "numbers from 0 on, got -0.5 at step 20"),
        ({"held_out_losses": ()}, "held-out losses need one step each"),
        ({"texts": {"stopp": "x"}}, "stopp"),
    ],
)
def test_contradictions_are_refused_with_both_sides(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(BASE, **changes)
