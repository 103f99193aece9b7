import pytest

from core.experiments import EXPERIMENTS
from core.experiments.experiment import WITHIN, Expected
from core.experiments.findings import Verdict, verdict, verdicts, what_came_out
from core.experiments.results import Estimate
from tests.core.experiments.test_results import results

ORDER = EXPERIMENTS["order"]


@pytest.mark.parametrize(
    ("expected", "low", "high", "found"),
    [
        (Expected.LESS, 0.01, 0.2, Verdict.HOLDS),
        (Expected.LESS, -0.2, 0.0, Verdict.FAILS),
        (Expected.LESS, -0.1, 0.1, Verdict.OPEN),
        (Expected.AS_GOOD, -0.3, WITHIN, Verdict.HOLDS),
        (Expected.AS_GOOD, WITHIN + 0.01, 0.2, Verdict.FAILS),
        (Expected.AS_GOOD, 0.0, 0.2, Verdict.OPEN),
    ],
)
def test_a_claim_is_judged_by_the_whole_interval(expected, low, high, found):
    assert verdict(expected, Estimate((low + high) / 2, low, high, 3)) is found


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
    assert base == "sinusoids added: 70.0 % of 50 sentences right."
    assert none.startswith("no positions: 72.0 %, 2.0 points more (95 %: 2.0 to 2.0; 3 seeds).")
    assert none.endswith("Not as claimed.")
    assert learned.endswith("1.0 points fewer (95 %: 1.0 to 1.0; 3 seeds). As claimed.")
    assert rotary.endswith("50.0 points fewer (one seed: no interval). Too few seeds to tell.")
