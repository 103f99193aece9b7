"""Verdicts are held to what the interval allows, case by case."""

from itertools import product

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.experiment import WITHIN, Expected
from core.studies.experiments.findings import all_findings, in_words, verdicts
from core.studies.experiments.results import Estimate, Results
from core.studies.experiments.verdicts import Reason, Verdict, judge, rate_times

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


def test_one_seed_decides_nothing():
    assert all(judge(each, Estimate.of([0.5])).verdict is OPEN for each in Expected)


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


def test_small_measures_are_said_with_their_digits():
    asked = EXPERIMENTS["reading"]
    said = [in_words(each) for each in all_findings(asked, Results.found("reading"))]
    found = [line for line in said if "distance of the states" in line]
    assert "“it” 0.063." in found[0]
    assert "“it” 0.0, 0.063 less" in found[1]
    assert "“it” 0.028, " in found[2]


def test_another_learning_rate_is_found_in_the_settings():
    norms = EXPERIMENTS["norms"]
    # 96^-0.5 · 1 at the first step, against 96^-0.5 · 200^-0.5 at step 200.
    assert rate_times(norms, norms.variant("at_once")) == pytest.approx(200**0.5, rel=0.01)
    assert rate_times(norms, norms.variant("post")) == 1


def test_what_the_cautions_say_in_figures_is_so():
    seconds = {
        name: [each.seconds for each in Results.found("metric").of(name)]
        for name in ("base", "minimum_risk", "self_critical", "constant")
    }
    sampling = [each for name in list(seconds)[1:] for each in seconds[name]]
    assert min(sampling) > 10 * max(seconds["base"])
    bottleneck = EXPERIMENTS["bottleneck"]
    assert bottleneck.preset(bottleneck.variant("fixed"), 0).model.d_model == 64
    assert "64 numbers" in bottleneck.caution
