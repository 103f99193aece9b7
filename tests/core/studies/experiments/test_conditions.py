"""Under which conditions a claim was judged is computed from settings and trainings."""

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.conditions import conditions
from core.studies.experiments.results import Results


def found(name):
    return conditions(EXPERIMENTS[name], Results.found(name))


def test_steps_seeds_rate_and_sizes_are_those_of_the_settings_and_the_trainings():
    said = found("residuals")
    assert (said.steps, said.before, said.seeds) == (800, 0, 3)
    # 96^-0.5 · 200^-0.5, where the cooldown of 600 begins.
    assert said.rate == pytest.approx((96 * 200) ** -0.5, rel=1e-6)
    assert said.parameters == (369_024, 666_624)
    assert (found("metric").steps, found("metric").before) == (160, 500)


@pytest.mark.parametrize(
    ("name", "low", "high", "known"),
    [
        ("heads", 0.479, 0.537, ()),
        ("norms", 0.0, 0.541, ()),
        ("order", 0.479, 0.853, ("learned",)),
        ("reading", 0.995, 1.0, ("base", "one_way", "attention")),
    ],
)
def test_whether_pronouns_are_known_is_read_off_all_trainings(name, low, high, known):
    pronouns = found(name).pronouns
    assert (pronouns.n, pronouns.known) == (777, known)
    assert (pronouns.low, pronouns.high) == pytest.approx((low, high), abs=0.0005)
