import math

import numpy as np
import pytest

from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.scaling.conftest import WIDTHS, drawn, exact


@pytest.mark.parametrize("average", ["mean", "median"])
def test_gradients_are_those_of_sampled_queries_and_keys(open_scaling, average):
    at = open_scaling(scaling="gradient", keys="4", queries="10", average=average, sample_seed="3")
    unscaled, scaled = drawn(at)[0].values()
    random = np.random.default_rng(3)
    for width, without, divided in zip(WIDTHS, unscaled, scaled, strict=True):
        query = random.standard_normal((10, width), dtype=np.float32).astype(float)
        key = random.standard_normal((10, 4, width), dtype=np.float32).astype(float)
        products = np.einsum("ne,nke->nk", query, key)
        for found, divisor in ((without, 1), (divided, math.sqrt(width))):
            outputs = [exact(row / divisor) for row in products]
            norms = [np.linalg.norm(np.diag(y) - np.outer(y, y)) for y in outputs]
            assert found == pytest.approx(getattr(np, average)(norms), rel=1e-3, abs=1e-12)
    assert "n = 10 queries at each d_k, each with 4 keys" in said(at)
    assert "seed 3" in said(at)


@pytest.mark.parametrize(("key", "value"), [("keys", 2), ("queries", 30), ("average", "median")])
def test_every_choice_of_gradients_changes_the_picture(open_scaling, key, value):
    at = open_scaling(scaling="gradient")
    before = drawn(at)[0]
    at.segmented_control(key=key).set_value(value).run()
    assert drawn(at)[0] != before


def test_another_seed_is_another_sample(open_scaling):
    at = open_scaling(scaling="gradient")
    before = drawn(at)[0]
    at.number_input(key="sample_seed").set_value(1).run()
    assert drawn(at)[0] != before


def test_values_that_cannot_be_in_a_link_give_the_defaults(open_scaling):
    at = open_scaling(scaling="gradient", keys="5", queries="x", average="mode", sample_seed="-1")
    assert at.segmented_control(key="keys").value == 8
    assert at.segmented_control(key="average").value == "mean"
    assert at.number_input(key="sample_seed").value == 0


@pytest.mark.parametrize("average", ["mean", "median"])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_scaling, handed_over, average
):
    at = open_scaling(scaling="gradient", keys="4", queries="10", average=average, sample_seed="3")
    [shown] = handed_over
    assert_takeable(at, shown)
    unscaled, scaled = drawn(at)[0].values()
    assert numbers_of(shown, "d_k", "unscaled", "scaled") == WIDTHS + unscaled + scaled
    assert computed(shown) == unscaled + scaled


def test_the_line_says_how_much_more_gradient_the_division_leaves(open_scaling):
    at = open_scaling(scaling="gradient")
    series, _frame = drawn(at)
    without, divided = (values[-1] for values in series.values())
    text = said(at)
    assert f"{divided:#.3g} with it, {without:#.3g} without" in text
    assert f"about **{divided / without:#.2g} times** as much gradient" in text
    assert "(1,000 sampled queries)" in text


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_what_the_line_says_is_no_chance_of_one_sample(open_scaling, seed):
    # Of 100 queries it is 15, 11 or 7 times, by the seed; of 30,000 it is 8.5 times.
    text = said(open_scaling(scaling="gradient", sample_seed=seed))
    times = float(text.split("about **")[1].split()[0])
    assert times == pytest.approx(8.5, rel=0.2)
