"""Training steps whose every number is known."""

from dataclasses import replace

import numpy as np

from tests.browser.apps.whole_cases import BOTH, FED, SELF, SOURCE, made
from viz.descent.descent import Descent

BEFORE = (0.5, 0.25, 0.01, 0.9)


def known():
    """A step that doubles small probabilities; the last block has the longest gradient."""
    whole = made(SOURCE, FED, (SELF, 3), (BOTH, 2))
    n = len(FED)
    before = np.array([BEFORE[at % len(BEFORE)] for at in range(n)])
    gradients = {"source": 0.1, **{each.site: 0.2 for each in whole.sublayers}, "output": 0.8}
    return Descent(
        whole=replace(whole, best=(), guesses=(), step=0),
        truth=[f"word{at}" for at in range(n)],
        first=0,
        log_probabilities_T=np.log(before),
        updated_T=np.log(np.minimum(2 * before, 0.95)),
        gradients=gradients,
        names={"source": "embedding", "target": "embedding", "output": "output"},
        rate="0.1",
    )


def prompted():
    """A step whose first three positions belong to a prompt."""
    step = known()
    n = len(step.truth) - 3
    return replace(
        step,
        truth=step.truth[:n],
        first=3,
        log_probabilities_T=step.log_probabilities_T[:n],
        updated_T=step.updated_T[:n],
    )


CASES = {"known": known, "prompted": prompted}
