from dataclasses import replace

import pytest

from classroom.limits import Limits
from core.config import ConfigError
from core.model import count_parameters
from core.training.presets import PRESETS

TINY = PRESETS["tiny"]
N = count_parameters(TINY.model)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(parameters=N - 1), "parameters"),
        (Limits(steps=849), "steps"),
        (Limits(batch_size=63), "pairs in a batch"),
        (Limits(), "samples for a batch: 2,112, and here 2,048"),
        (Limits(batch_size=64), "tokens in a batch: 4,097, and here 4,096"),
    ],
)
def test_what_is_too_large_is_refused_by_what_it_has_too_much_of(limits, said):
    training = replace(TINY.training, batch_size=64)
    if "tokens" in said:
        training = replace(training, batch_tokens=4097)
    if "samples" in said:
        # What is never drawn does not count.
        limits.require(TINY.model, replace(training, samples=33))
        training = replace(training, samples=33, objective="reinforce")
    with pytest.raises(ConfigError, match=said):
        limits.require(TINY.model, training)
