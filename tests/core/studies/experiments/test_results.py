import json
import math
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.studies.experiments.experiment import WITHIN, Expected
from core.studies.experiments.findings import Verdict, fall, judge
from core.studies.experiments.results import Estimate, Results, Trained

ONE = Trained(
    "base", 0, 100, 12.5, 50, 0.5, 0.25, 0.75, 8, ((4, 30, 20), (5, 20, 5)), {"step": [1]}
)


def results(shares):
    """Results of variants with these shares by seed."""
    trained = [
        replace(ONE, variant=variant, seed=seed, exact_match=share)
        for variant, of_seeds in shares.items()
        for seed, share in of_seeds.items()
    ]
    return Results("order", tuple(trained), "a command", "a machine", {"torch": "2"})


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_the_interval_is_that_of_students_t(values):
    found = Estimate.of(values)
    mean = sum(values) / len(values)
    variance = sum((each - mean) ** 2 for each in values) / (len(values) - 1)
    reach = stats.t(len(values) - 1).isf(0.025) * math.sqrt(variance / len(values))
    assert (found.mean, found.n) == (pytest.approx(mean), len(values))
    assert found.high - found.mean == pytest.approx(reach, abs=1e-9)
    assert found.mean - found.low == pytest.approx(reach, abs=1e-9)


def test_a_measure_is_found_by_its_name_where_a_training_has_it():
    one = replace(ONE, measures={"bleu": 80.0})
    two = replace(ONE, seed=1, measures={"bleu": 90.0})
    found = Results("metric", (one, two, replace(one, variant="half"), replace(two, seed=2)))
    assert (one.value("bleu"), ONE.value("bleu"), one.value("loss")) == (80.0, None, 0.25)
    assert found.estimate("base", "bleu").mean == pytest.approx((80 + 90 + 90) / 3)
    assert found.differences("half", "base", "bleu") == [0.0]
    assert found.has("base", "bleu")
    without = Results("metric", (one, replace(ONE, seed=1)))
    assert not without.has("base", "bleu")
    assert without.estimate("base", "bleu").n == 1
    assert not without.has("half", "bleu")


def test_differences_are_of_the_same_seeds():
    found = results({"base": {0: 0.9, 1: 0.5, 2: 0.7}, "none": {1: 0.4, 0: 0.8, 3: 0.0}})
    assert found.differences("base", "none", "exact_match") == pytest.approx([0.1, 0.1])
    assert [each.seed for each in found.of("none")] == [0, 1, 3]


@pytest.mark.parametrize("content", [{}, {"trained": [{"variant": "base"}]}, {"trained": 3}])
def test_a_file_that_holds_something_else_is_refused(tmp_path, content):
    (tmp_path / "order.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="holds no results"):
        Results.load(tmp_path / "order.json")


def test_a_curve_is_the_mean_over_seeds():
    one = replace(ONE, curve={"step": [200.0, 400.0], "loss": [2.0, 1.0]})
    two = replace(ONE, seed=1, curve={"step": [200.0, 400.0], "loss": [4.0, 2.0]})
    found = Results("order", (one, two))
    assert found.curve("base", "loss") == ([200.0, 400.0], [3.0, 1.5])


def test_distances_are_means_over_seeds_and_older_files_have_none(tmp_path):
    one = replace(ONE, by_distance=((0, 10, 1.0), (1, 8, 0.5)))
    two = replace(ONE, seed=1, by_distance=((0, 10, 1.0), (1, 8, 0.25), (2, 6, 0.1)))
    found = Results("distance", (one, two))
    assert found.by_distance("base") == {0: (20, 1.0), 1: (16, 0.375), 2: (6, 0.1)}
    found.save(tmp_path / "distance.json")
    assert Results.load(tmp_path / "distance.json") == found
    stored = json.loads((tmp_path / "distance.json").read_text())
    for each in stored["trained"]:
        del each["by_distance"], each["measures"]
    (tmp_path / "older.json").write_text(json.dumps(stored))
    assert Results.load(tmp_path / "older.json").by_distance("base") == {}


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
