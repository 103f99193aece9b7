from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.findings import verdicts, what_came_out
from core.studies.experiments.verdicts import Verdict
from tests.core.studies.experiments.test_results import results

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
    assert base == "sinusoids added: sentences right 70.0 % (95 %: 67.5 % to 72.5 %; 3 seeds)."
    assert none.startswith(
        "no positions: sentences right 72.0 %, 2.0 more (95 %: 2.0 to 2.0; 3 seeds)."
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
