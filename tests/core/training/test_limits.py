from dataclasses import replace

import pytest

from core.config import ConfigError
from core.model import count_parameters
from core.training.limits import BYTES_OF_PARAMETER, MEGABYTE, Limits
from core.training.presets import PRESETS

TINY = PRESETS["tiny"]
N = count_parameters(TINY.model)


def test_what_is_small_enough_is_let_go_on():
    Limits(parameters=N, steps=850, batch_size=64).require(TINY.model, TINY.training)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(parameters=N - 1), "parameters"),
        (Limits(steps=849), "steps"),
        (Limits(batch_size=63), "pairs in a batch"),
    ],
)
def test_what_is_too_large_is_refused_by_what_it_has_too_much_of(limits, said):
    training = replace(TINY.training, batch_size=64)
    with pytest.raises(ConfigError, match=said):
        limits.require(TINY.model, training)


def test_whoever_has_no_room_left_is_told_how_much_is_taken():
    limits = Limits(disk_megabytes=10)
    limits.require_room(10 * MEGABYTE)
    with pytest.raises(ConfigError, match="11 MB of 10 MB"):
        limits.require_room(10 * MEGABYTE + 1)
    need = BYTES_OF_PARAMETER * N
    limits.require_room(10 * MEGABYTE - need, TINY.model)
    with pytest.raises(ConfigError):
        limits.require_room(10 * MEGABYTE - need + 1, TINY.model)
