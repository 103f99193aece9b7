"""Verdicts are held to what the interval allows, case by case."""

from dataclasses import replace
from itertools import product

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.experiment import WITHIN, Expected
from core.studies.experiments.findings import gains_in_words, verdicts
from core.studies.experiments.results import Estimate, Results
from core.studies.experiments.verdicts import (
    Verdict,
    best_gain,
    fall,
    falls_more,
    gains,
    judge,
    right_though_fading,
)
from tests.core.studies.experiments.test_findings import measured
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


METRIC = EXPERIMENTS["metric"]


def results(**values):
    return measured("bleu", {"half": [70.0, 60.0, 50.0], **values})


def test_each_training_is_held_against_its_own_start():
    found = gains(METRIC, results(base=[72.0, 62.0, 52.0], constant=[71.0, 60.0, 49.0]), "bleu")
    assert [each.variant.name for each in found] == ["half", "base", "constant"]
    assert found[0].of_seeds == (0.0, 0.0, 0.0)
    # Seeds are far apart, gains are not.
    assert (found[1].more.low, found[1].more.high) == (2.0, 2.0)
    assert found[2].of_seeds == (1.0, 0.0, -1.0)


def test_gains_are_said_with_interval_and_n():
    [base] = gains_in_words(METRIC, results(base=[72.0, 62.0, 53.0]))
    assert base == (
        "more cross-entropy: BLEU gained over its own start: 2.3 (95 %: 0.9 to 3.8; 3 seeds)."
    )
    [once] = gains_in_words(METRIC, results(half=[70.0], base=[72.0]))
    assert once.endswith("2.0 (one seed: no interval).")
    assert not gains_in_words(EXPERIMENTS["order"], results())


@pytest.mark.parametrize(
    ("risk", "than_control", "than_base"),
    [
        ([76.0, 66.1, 56.0], Verdict.HOLDS, Verdict.HOLDS),
        ([73.0, 62.0, 51.0], Verdict.HOLDS, Verdict.OPEN),
        ([71.5, 61.5, 51.6], Verdict.HOLDS, Verdict.FAILS),
        ([69.0, 59.0, 48.8], Verdict.FAILS, Verdict.FAILS),
    ],
)
def test_the_best_is_held_against_control_and_base(risk, than_control, than_base):
    constant = [70.1, 60.0, 49.9] if risk != [73.0, 62.0, 51.0] else [70.0, 59.0, 48.0]
    found = best_gain(
        METRIC,
        results(
            base=[72.0, 62.0, 52.0],
            constant=constant,
            minimum_risk=risk,
            self_critical=[60.0, 50.0, 40.0],
        ),
        "bleu",
    )
    assert found.variant.name == "minimum_risk"
    assert (found.than_control, found.than_base) == (than_control, than_base)


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
    found = fading(base=[(0.5, 0.2), (0.5, 0.21), (0.5, 0.19)], gru=gru)
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
