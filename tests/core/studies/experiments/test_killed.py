"""Whatever moment an experiment is killed at, it goes on and finds what it would have found."""

import contextlib
import io
import shutil
from dataclasses import replace

import pytest
import torch

from core.__main__ import main
from core.runs.checkpoint import newest_checkpoint
from core.runs.run import load_run
from core.studies.experiments import EXPERIMENTS, measuring
from core.studies.experiments.results import Results
from tests.core.conftest import draw_few
from tests.core.studies.experiments.test_running import TINY
from tests.killing import FORKS, killed_again_and_again, seconds_of


def experiment(out):
    """Do what `python -m core experiment run` does, without its words."""
    torch.set_num_threads(1)
    EXPERIMENTS[TINY.name] = TINY
    draw_few(pytest.MonkeyPatch())
    measuring.N_MEASURED = 30
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main(["experiment", "run", TINY.name, str(out), "--seeds", "1"])
    assert status == 0, said.getvalue()


def found(out):
    """Return what came out but how long it took."""
    results = Results.found(TINY.name, out)
    return results and [
        replace(each, seconds=0.0, curve={**each.curve, "seconds": []}) for each in results.trained
    ]


def contents(folder):
    files = (each for each in folder.rglob("*") if each.is_file() and each.name != ".lock")
    return {each: each.read_bytes() for each in files}


@pytest.mark.slow
def test_an_experiment_killed_again_and_again_finds_the_same(copy_folder, tmp_path):
    FORKS.set_forkserver_preload([__name__, "torch._dynamo"])
    other = shutil.copytree(copy_folder, tmp_path / "other")
    before = contents(other)
    out = tmp_path / "out"
    longest = seconds_of(experiment, out)
    expected = found(out)
    assert [each.variant for each in expected] == [each.name for each in TINY.variants]
    shutil.rmtree(out)

    def check(ended):
        # The last file may be there when it is killed.
        assert found(out) in ((expected,) if ended else (None, expected))
        for path in out.glob("runs/*"):
            if newest_checkpoint(path):
                load_run(path)
        assert contents(other) == before
        if ended:
            shutil.rmtree(out)

    killed_again_and_again(experiment, out, longest=longest / 2, check=check)
    seconds_of(experiment, out)
    assert found(out) == expected
