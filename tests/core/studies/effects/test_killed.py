"""Whatever moment a measuring is killed at, the run stays whole, and it can be measured again."""

import shutil

import pytest
import torch

from core.runs.files import HEADS
from core.runs.run import load_run
from core.studies.effects.measuring import MEASURING, measured_effects, stored_effects
from tests.killing import FORKS, killed_again_and_again, seconds_of

OWN = "heads."
"""How the names begin of what a measuring writes."""


def measure(path):
    torch.set_num_threads(1)
    for _ in measured_effects(load_run(path), 20):
        pass


def contents(folder):
    files = (each for each in folder.rglob("*") if each.is_file())
    return {each: each.read_bytes() for each in files if not each.name.lstrip(".").startswith(OWN)}


@pytest.mark.slow
def test_a_measuring_killed_again_and_again_leaves_a_whole_run(copy_folder, tmp_path):
    FORKS.set_forkserver_preload([__name__])
    path = shutil.copytree(copy_folder, tmp_path / "run")
    other = shutil.copytree(path, tmp_path / "other")
    before = contents(path), contents(other)
    longest = seconds_of(measure, path)
    expected = stored_effects(load_run(path))

    def check(ended):
        assert (contents(path), contents(other)) == before
        run = load_run(path)
        # It may have been killed between its last word and its end.
        assert stored_effects(run) in ((expected,) if ended else (None, expected))
        assert MEASURING.status(path).state in ("idle", "interrupted")[: 2 - ended]
        # So that the next one, too, has all to write.
        (path / HEADS).unlink(missing_ok=True)

    killed_again_and_again(measure, path, longest=longest, check=check)
    measure(path)
    assert stored_effects(load_run(path)) == expected
