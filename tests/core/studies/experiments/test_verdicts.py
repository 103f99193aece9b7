"""Verdicts are held to what the interval allows, case by case."""

from dataclasses import replace
from itertools import product

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.experiment import WITHIN, Expected
from core.studies.experiments.findings import verdicts
from core.studies.experiments.results import Estimate, Results
from core.studies.experiments.verdicts import (
    Verdict,
    fall,
    judge,
)
from tests.core.studies.experiments.test_results import ONE

HOLDS, FAILS, OPEN = Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN


def test_undecided_is_said_only_where_the_interval_allows_both_and_mirrored_claims_agree():
    grid = [each / 100 for each in range(-12, 13)]
    mirrored = {Expected.LESS: Expected.MORE, Expected.AS_GOOD: Expected.NO_MORE}
    for low, high in product(grid, grid):
        if low > high:
            continue
        for within, (expected, other) in product((0.0, WITHIN), mirrored.items()):
            found = judge(expected, Estimate((low + high) / 2, low, high, 3), within)
            turned = judge(other, Estimate(-(low + high) / 2, -high, -low, 3), within)
            assert found == turned
            # A true difference of 0 and one beyond the margin are both in it, and only then.
            both = low <= 0 and high > within
            assert (found.verdict is OPEN) == both, (low, high, expected)
            # What one claim says to be lost, the other says not to be; but for a small clear loss.
            if low <= 0 or high > within:
                opposite = {Expected.LESS: Expected.AS_GOOD, Expected.AS_GOOD: Expected.LESS}
                contrary = judge(opposite[expected], Estimate(0.0, low, high, 3), within)
                assert {found.verdict, contrary.verdict} in ({HOLDS, FAILS}, {OPEN})


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("projections", {"qk": FAILS, "kv": HOLDS, "qkv": HOLDS, "none": HOLDS}),
        (
            "depth",
            {"four": HOLDS, "eight": FAILS}
            | dict.fromkeys(("two_without", "four_without", "eight_without"), HOLDS),
        ),
        (
            "norms",
            {"rms": HOLDS, "batch": FAILS, "none": HOLDS, "post": FAILS}
            # Their rate rose to fourteen times the others'.
            | {"at_once": OPEN, "post_at_once": OPEN},
        ),
        ("mixing", dict.fromkeys(("convolution", "average", "none"), OPEN)),
        ("memory", dict.fromkeys(("first", "same", "mixed"), OPEN)),
        ("reading", {"one_way": OPEN}),
        ("order", {"none": HOLDS, "learned": OPEN, "rotary": HOLDS, "relative": HOLDS}),
        ("guide", {"last": OPEN, "first": OPEN}),
        ("forcing", {"scheduled": FAILS}),
        ("parallel", {"parallel": HOLDS, "parallel_length": HOLDS, "parallel_one": HOLDS}),
    ],
)
def test_what_the_shipped_trainings_say(name, found):
    assert verdicts(EXPERIMENTS[name], Results.found(name)) == found


def fading(**norms):
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
    found = fall(fading(gru=[(0.5, 0.1), (0.3, 0.1)]), "gru", 1, 2)
    assert (found.near, found.far, found.reach) == (0.4, pytest.approx(0.1), 2)
    assert found.times == pytest.approx(4)
