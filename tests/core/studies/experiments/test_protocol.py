import math
from dataclasses import replace

import pytest

from core.studies.experiments.experiment import BASE, Expected, Experiment, Variant
from core.studies.experiments.findings import Reason, Verdict, findings
from core.studies.experiments.measures import STEPS_TO_LEARN
from core.studies.experiments.protocol import Training, chosen_rates, missing, results_of
from core.studies.experiments.results import Estimate, Trained

ASKED = Experiment(
    name="asked",
    question="Is it needed?",
    claim="It is.",
    source="nowhere",
    variants=(Variant(BASE, "all"), Variant("less", "less of it", {}, Expected.LESS)),
    task="copy",
)


def trained(training, right):
    """A training that has more right sentences with the least of the learning rates."""
    loss = math.inf if training.rate > 2 else training.rate
    curve = {"held_out_loss": [loss], "held_out_exact_match": [right]}
    nothing = Trained(training.variant, training.seed, 1, 1.0, 9, right, loss, None, 0, (), curve)
    return replace(nothing, rate=training.rate, times=training.times)


def stages(right):
    """Run the protocol to its end; return the trainings of each stage, and all measurements.

    Args:
        right: Function from a training to its share of right sentences.
    """
    found, done = [], []
    while todo := missing(ASKED, done):
        found.append(todo)
        done += [trained(each, right(each)) for each in todo]
    return found, done


def clear(each):
    return {BASE: 0.9, "less": 0.5}[each.variant] + 0.01 * each.seed


def test_first_the_rate_of_each_variant_is_chosen_then_seeds_are_trained_with_it():
    (grid, seeds), done = stages(clear)
    assert {(each.variant, each.rate) for each in grid} == {
        (name, rate) for name in (BASE, "less") for rate in (0.4, 1.0, 2.5)
    }
    assert seeds == [
        Training(BASE, 0, 0.4, times=4),
        *(Training(name, seed, 0.4) for seed in (1, 2) for name in (BASE, "less")),
    ]
    results = results_of(ASKED, done)
    for variant in (BASE, "less"):
        assert [each.seed for each in results.of(variant)] == [0, 1, 2]
    assert results.rates == {BASE: 0.4, "less": 0.4}
    assert (results.longer.times, results.longer.figure) == (4, 0.9)
    # The others only chose the rate.
    assert len(results.tried) == 1 + 2 * 2
    [_base, less] = findings(ASKED, results)
    assert less.judged.verdict is Verdict.HOLDS


def test_where_three_seeds_decide_nothing_eight_are_trained():
    def noisy(each):
        return 0.9 if each.variant == BASE else 0.8 + 0.1 * (each.seed % 3)

    found, done = stages(noisy)
    assert len(found) == 3
    assert {(each.variant, each.seed) for each in found[2]} == {
        (name, seed) for seed in range(3, 8) for name in (BASE, "less")
    }
    [_base, less] = findings(ASKED, results_of(ASKED, done))
    assert less.less.n == 8


def test_where_the_claim_is_about_steps_the_rate_is_the_one_that_takes_fewest():
    asked = replace(ASKED, measures=(STEPS_TO_LEARN,), judged_by=STEPS_TO_LEARN.name)
    steps = {0.4: 500.0, 1.0: 300.0}
    done = [
        replace(trained(each, 0.9), measures={STEPS_TO_LEARN.name: steps.get(each.rate)})
        for each in missing(asked, [])
    ]
    assert chosen_rates(asked, done) == {BASE: 1.0, "less": 1.0}


@pytest.mark.parametrize(("longer", "decided"), [(0.94, True), (0.96, False), (None, False)])
def test_nothing_is_decided_unless_the_base_has_learned_its_task(longer, decided):
    _, done = stages(lambda each: longer if each.times > 1 and longer else clear(each))
    if longer is None:
        done = [each for each in done if each.times == 1]
    [_base, less] = findings(ASKED, results_of(ASKED, done))
    assert less.less == Estimate.of([0.4, 0.4, 0.4])
    assert (less.judged.verdict is Verdict.HOLDS) == decided
    assert (less.judged.reason is Reason.UNLEARNED) != decided
