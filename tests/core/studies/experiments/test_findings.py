from dataclasses import replace

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.findings import verdicts, what_came_out
from core.studies.experiments.results import Results
from core.studies.experiments.verdicts import Verdict
from tests.core.studies.experiments.test_results import ONE, results

ORDER = EXPERIMENTS["order"]


def test_what_was_not_borne_out_is_said_as_plainly():
    found = results(
        {
            "base": {0: 0.70, 1: 0.71, 2: 0.69},
            "none": {0: 0.72, 1: 0.73, 2: 0.71},
            "learned": {0: 0.69, 1: 0.70, 2: 0.68},
            "rotary": {0: 0.2},
        }
    )
    assert verdicts(ORDER, found) == {
        "none": Verdict.FAILS,
        "learned": Verdict.HOLDS,
        "rotary": Verdict.OPEN,
    }
    base, none, learned, rotary = what_came_out(ORDER, found)
    assert base == "sinusoids added: correct sentences 70.0 % (95 %: 67.5 % to 72.5 %; 3 seeds)."
    assert none.startswith(
        "no positions: correct sentences 72.0 %, 2.0 more (95 %: 2.0 to 2.0; 3 seeds)."
    )
    assert none.endswith(
        "It does not hold (claim: lower): the whole interval lies on the other side of 0."
    )
    assert learned.endswith(
        "1.0 less (95 %: 1.0 to 1.0; 3 seeds). It holds (claim: as good): at most 1.0 "
        "points apart, within the margin of 5."
    )
    assert rotary.endswith(
        "50.0 less (one seed: no interval). Undecided (claim: as good): the interval "
        "allows both, too few seeds to tell."
    )


def measured(name, values):
    """Results of variants of an experiment with these values of a measure by seed."""
    trained = [
        replace(ONE, variant=variant, seed=seed, measures={} if value is None else {name: value})
        for variant, of_seeds in values.items()
        for seed, value in enumerate(of_seeds)
    ]
    return Results("any", tuple(trained))


def test_a_claim_about_another_measure_is_judged_by_that():
    found = measured(
        "steps_to_learn",
        {"base": (600, 640, 620), "last": (400, 440, 420), "first": (610, None, 600)},
    )
    guide = EXPERIMENTS["guide"]
    assert verdicts(guide, found) == {"last": Verdict.HOLDS}
    right, steps = what_came_out(guide, found)[:3], what_came_out(guide, found)[3:]
    assert all("It holds" not in line for line in right)
    assert steps == [
        "no guide: steps to 95 % exact match 620.0 (95 %: 570.3 to 669.7; 3 seeds).",
        "a head of the last layer guided: steps to 95 % exact match 420.0, 200.0 less "
        "(95 %: 200.0 to 200.0; 3 seeds). It holds (claim: lower): the whole interval lies on "
        "the claimed side of 0.",
        "a head of the first layer guided: steps to 95 % exact match not reached in every "
        "training.",
    ]
