"""Verdicts are held to what the interval allows, case by case."""

from dataclasses import replace
from itertools import product

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.experiment import WITHIN, Expected
from core.studies.experiments.findings import all_findings, gains_in_words, in_words, verdicts
from core.studies.experiments.results import Estimate, Results
from core.studies.experiments.verdicts import (
    Reason,
    Verdict,
    best_gain,
    fall,
    falls_more,
    gains,
    judge,
    rate_times,
    right_though_fading,
)
from tests.core.studies.experiments.test_findings import measured
from tests.core.studies.experiments.test_results import ONE

HOLDS, FAILS, OPEN = Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN


@pytest.mark.parametrize(
    ("expected", "low", "high", "verdict", "reason"),
    [
        (Expected.LESS, 0.01, 0.2, HOLDS, Reason.CLEAR),
        (Expected.LESS, -0.2, -0.01, FAILS, Reason.CLEAR),
        (Expected.LESS, -0.003, 0.007, FAILS, Reason.EQUAL),
        (Expected.LESS, 0.0, 0.0, FAILS, Reason.EQUAL),
        (Expected.LESS, -0.1, 0.1, OPEN, Reason.BOTH),
        (Expected.AS_GOOD, -0.3, WITHIN, HOLDS, Reason.EQUAL),
        (Expected.AS_GOOD, 0.01, 0.04, HOLDS, Reason.EQUAL),
        (Expected.AS_GOOD, -0.06, -0.02, HOLDS, Reason.CLEAR),
        (Expected.AS_GOOD, 0.022, 0.101, FAILS, Reason.CLEAR),
        (Expected.AS_GOOD, 0.019, 0.068, FAILS, Reason.CLEAR),
        (Expected.AS_GOOD, -0.15, 0.16, OPEN, Reason.BOTH),
        (Expected.NO_MORE, -0.09, -0.01, FAILS, Reason.CLEAR),
        (Expected.NO_MORE, -0.008, 0.087, HOLDS, Reason.EQUAL),
        (Expected.MORE, -0.014, 0.042, FAILS, Reason.EQUAL),
    ],
)
def test_a_clear_loss_equality_and_ignorance_are_told_apart(expected, low, high, verdict, reason):
    found = judge(expected, Estimate((low + high) / 2, low, high, 3))
    assert (found.verdict, found.reason) == (verdict, reason)


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


def test_the_reason_and_the_size_are_said():
    def line(experiment, label):
        asked = EXPERIMENTS[experiment]
        found = all_findings(asked, Results.found(experiment))
        return next(in_words(each) for each in found if each.judged and each.variant == label)

    assert line("projections", "queries = keys").endswith(
        "6.1 points fewer (95 %: 2.2 to 10.1; 3 seeds). Refuted (claimed as good): the whole "
        "interval lies on the other side of 0."
    )
    assert line("norms", "BatchNorm before").endswith(
        "Refuted (claimed lower): at most 3.0 lower, within the margin of 5."
    )
    assert line("forcing", "scheduled sampling, up to 50 %").endswith(
        "Refuted (claimed higher): at most 1.4 higher, within the margin of 5."
    )
    assert line("norms", "LayerNorm before, no warm-up").endswith(
        "Not judged (claimed as good): its peak learning rate is 14.1 times that of “LayerNorm "
        "before”."
    )
    # Copying is compared with copying, not with a task that has two right targets.
    assert line("parallel", "parallel, copy only").startswith(
        "parallel, copy only, compared with “left to right, copy only”: 100.0 %, 0.0 points fewer"
    )


def test_another_learning_rate_is_found_in_the_settings():
    norms = EXPERIMENTS["norms"]
    # 96^-0.5 · 1 at the first step, against 96^-0.5 · 200^-0.5 at step 200.
    assert rate_times(norms, norms.variant("at_once")) == pytest.approx(200**0.5, rel=0.01)
    assert rate_times(norms, norms.variant("post")) == 1


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
