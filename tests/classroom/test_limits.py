from dataclasses import replace

import pytest

from classroom.limits import BYTES_OF_PARAMETER, MEGABYTE, Limits, bytes_in
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


def test_whoever_has_no_room_left_is_told_how_much_is_taken():
    limits = Limits(disk_megabytes=10)
    limits.require_room(10 * MEGABYTE)
    with pytest.raises(ConfigError, match="11 MB of 10 MB"):
        limits.require_room(10 * MEGABYTE + 1)
    kept = (BYTES_OF_PARAMETER + 4 * 4) * N
    limits.require_room(10 * MEGABYTE - kept, TINY.model, 5)
    with pytest.raises(ConfigError):
        limits.require_room(10 * MEGABYTE - kept + 1, TINY.model, 5)
    need = BYTES_OF_PARAMETER * N
    limits.require_room(10 * MEGABYTE - need, TINY.model)
    with pytest.raises(ConfigError):
        limits.require_room(10 * MEGABYTE - need + 1, TINY.model)


def test_what_a_folder_takes_is_what_its_files_do(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_bytes(bytes(100))
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b" / "file")
    assert bytes_in(tmp_path) == 100
    assert bytes_in(tmp_path / "none") == 0
