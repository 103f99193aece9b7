import numpy as np
import pytest

from core.studies.heads.stages import Stage, bias, matrices, panels
from tests.core.studies.heads.conftest import PLAIN


def test_the_numbers_go_on_from_stage_to_stage(steps):
    """What goes into a stage came out of an earlier one, bit by bit."""
    made = {panels(steps, stage)[0].name: panels(steps, stage)[0].values for stage in PLAIN}
    made["kᵀ"] = made["k"].T
    for stage in PLAIN:
        for panel in panels(steps, stage)[1:]:
            if panel.name in made:
                np.testing.assert_array_equal(panel.values, made[panel.name])


def test_all_numbers_of_a_stage_are_its_matrices_and_its_bias(steps):
    for stage in PLAIN:
        found = matrices(steps, stage)
        offset = bias(steps, stage)
        names = [panel.name for panel in panels(steps, stage)]
        assert list(found) == names + ([] if offset is None else [offset.name])
        assert all(values.dtype == np.float32 and values.ndim == 2 for values in found.values())


def test_an_axis_has_one_length_in_all_panels(steps):
    lengths = {}
    for stage in PLAIN:
        offset = bias(steps, stage)
        for panel in (*panels(steps, stage), *([] if offset is None else [offset])):
            for axis, length in zip((panel.rows, panel.columns), panel.values.shape, strict=True):
                lengths.setdefault(axis, set()).add(length)
    assert {axis: len(found) for axis, found in lengths.items()} == dict.fromkeys(lengths, 1)
    assert lengths["heads × d_v"] == {steps.n_heads * steps.d_v}


def test_two_matrices_that_go_in_can_be_multiplied_and_make_the_first(steps):
    multiplied = []
    for stage in PLAIN:
        made, *given = panels(steps, stage)
        if len(given) != 2:
            continue
        left, right = given
        assert (left.rows, left.columns, right.columns) == (made.rows, right.rows, made.columns)
        offset = bias(steps, stage)
        product = left.values.astype(float) @ right.values.astype(float)
        product += 0.0 if offset is None else offset.values
        np.testing.assert_allclose(made.values, product, rtol=2e-4, atol=2e-4)
        multiplied.append(stage)
    assert set(multiplied) == {*PLAIN[:4], Stage.MIX}


def test_a_stage_that_is_not_known_is_refused(steps):
    with pytest.raises(ValueError, match="nothing is known of the stage pooling"):
        panels(steps, "pooling")
