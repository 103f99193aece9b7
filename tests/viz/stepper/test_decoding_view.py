from dataclasses import replace

import numpy as np
import pytest

from tests.browser.apps import decoding_cases
from tests.viz.stepper.test_decoding import STEP
from viz.stepper.decoding import (
    StepView,
    TokenLabel,
    pack_decoding,
    unpack_decoding,
)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"chosen_probability": 1.2}, r"0 to 1, got 1\.2"),
        ({"chosen_probability": float("nan")}, "nan"),
        ({"others": -0.1}, r"-0\.1"),
        ({"others": 0.2}, r"sum 1, got 1\.09"),
        ({"top": ()}, "falling"),
        ({"top": STEP["top"][::-1]}, r"falling.*0\.3, 0\.6"),
        ({"entropy": -1.0}, r"entropy.*-1\.0"),
        ({"entropy": float("inf")}, "entropy.*inf"),
        ({"entropy": float("nan")}, "entropy.*nan"),
        ({"true": TokenLabel("a")}, "together"),
        ({"true": TokenLabel("a"), "true_probability": 0.6, "true_rank": -1}, "-1"),
        ({"true": TokenLabel("a"), "true_probability": 1.6, "true_rank": 0}, r"1\.6"),
    ],
)
def test_a_step_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        StepView(**(STEP | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fed": ()}, "5 steps, 0 fed"),
        ({"steps": ()}, "0 steps, 5 fed"),
        ({"cross": np.zeros((2, 3, 4, 4), np.float32)}, r"\(2, 3, 5, 4\)"),
        ({"cross": np.zeros((3, 5, 4), np.float32)}, r"\(3, 5, 4\)"),
        ({"cross": np.full((2, 3, 5, 4), 1.5, np.float32)}, r"1\.5"),
        ({"self_": np.zeros((2, 3, 5, 4), np.float32)}, r"\(2, 3, 5, 5\)"),
        ({"self_": np.full((2, 3, 5, 5), 0.2, np.float32)}, "diagonal"),
    ],
)
def test_a_side_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(decoding_cases.known().free, **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": ()}, r"\(2, 3, 0\), got \(2, 3, 4\)"),
        ({"forced": decoding_cases.sentence().free}, r"\(2, 3, 4\), got \(3, 4, 14\)"),
        ({"divergence": (0.0,)}, "5 steps, got 1"),
        ({"free": replace(decoding_cases.known().free, self_=None)}, "both sides need self_"),
        ({"divergence": (0.0, 0.0, 0.0, 0.0, float("nan"))}, "nan"),
        ({"forced": None}, "0 steps, got 5"),
        ({"first_difference": 5}, "first_difference 5.*5 steps"),
        ({"start": -1}, "start -1"),
        ({"texts": {"fedd": "x"}}, "fedd"),
    ],
)
def test_a_view_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(decoding_cases.known(), **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"self_": None}, "cross or self_"),
        ({"self_": np.full((2, 3, 5, 7), 0.1, np.float32)}, "diagonal"),
        ({"self_": np.zeros((2, 3, 5, 5), np.float32)}, r"\(2, 3, 5, 7\)"),
    ],
)
def test_a_side_after_a_prompt_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(decoding_cases.prompt().free, **changes)


def test_both_sides_go_on_from_a_prompt_of_the_same_length():
    view = decoding_cases.prompt()
    shorter = replace(view.forced, fed=view.forced.fed[1:], self_=view.forced.self_[..., 1:])
    with pytest.raises(ValueError, match=r"before the first step, got \[2, 1\]"):
        replace(view, forced=shorter)


def test_sides_may_differ_in_length():
    back = unpack_decoding(pack_decoding(decoding_cases.short()))
    assert back.forced is not None
    assert (len(back.free.steps), len(back.forced.steps)) == (3, 5)
    assert len(back.divergence) == 3
