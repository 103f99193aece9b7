import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.gains import best_gain, gains, gains_in_words
from core.studies.experiments.results import SHIPPED, Results
from core.studies.experiments.verdicts import Verdict
from tests.core.studies.experiments.test_findings import measured

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


def test_where_variants_begin_afresh_nothing_is_gained():
    assert gains(EXPERIMENTS["vocabulary"], results(base=[1.0, 2.0, 3.0]), "bleu") == []


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


def test_the_shipped_results_have_a_gain_of_every_variant():
    found = gains(METRIC, Results.load(SHIPPED / "metric.json"), "bleu")
    assert [each.variant for each in found] == list(METRIC.shown)
    assert best_gain(METRIC, results(base=[1.0, 2.0, 3.0]), "bleu") is None
