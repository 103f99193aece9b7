import math
from dataclasses import replace

import pytest

from core.studies.experiments.reach import fall, falls_more, right_though_fading
from core.studies.experiments.results import Results
from tests.core.studies.experiments.test_results import ONE


def results(**norms):
    """Results of variants with these norms at 1 and at 2 tokens by seed."""
    return Results(
        "distance",
        tuple(
            replace(ONE, variant=name, seed=seed, by_distance=((1, 9, near), (2, 9, far)))
            for name, of_seeds in norms.items()
            for seed, (near, far) in enumerate(of_seeds)
        ),
    )


def test_a_fall_is_the_ratio_of_the_means_over_seeds():
    found = fall(results(gru=[(0.5, 0.1), (0.3, 0.1)]), "gru", 1, 2)
    assert (found.near, found.far, found.reach) == (0.4, pytest.approx(0.1), 2)
    assert found.times == pytest.approx(4)


def test_where_nothing_is_left_the_reach_is_the_last_token_that_counts():
    found = fall(results(convolution=[(0.5, 0.0)]), "convolution", 1, 2)
    assert (found.times, found.reach) == (math.inf, 1)


@pytest.mark.parametrize(
    ("gru", "more"),
    [
        ([(0.5, 0.01), (0.5, 0.02), (0.5, 0.01)], True),
        ([(0.5, 0.5), (0.5, 0.4), (0.5, 0.5)], False),
        ([(0.5, 0.01), (0.5, 0.5), (0.5, 0.2)], None),
        ([(0.5, 0.0), (0.5, 0.0), (0.5, 0.0)], None),
    ],
)
def test_one_falls_more_than_another_where_the_interval_says_so(gru, more):
    found = results(base=[(0.5, 0.2), (0.5, 0.21), (0.5, 0.19)], gru=gru)
    assert falls_more(found, "gru", "base", 1, 2) is more


def test_those_with_more_right_in_every_seed_have_more_right_though_they_fade():
    right = {"base": (0.5, 0.51, 0.5), "gru": (0.6, 0.61, 0.6), "mean": (0.4, 0.7, 0.5)}
    found = Results(
        "distance",
        tuple(
            replace(ONE, variant=name, seed=seed, exact_match=value)
            for name, of_seeds in right.items()
            for seed, value in enumerate(of_seeds)
        ),
    )
    assert right_though_fading(found, "base", list(right)) == ["gru"]
