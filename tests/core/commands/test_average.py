from functools import partial

import pytest

from core.evaluate.evaluation import evaluate
from core.runs.run import load_run
from core.training import export


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    monkeypatch.setattr(export, "evaluate", partial(evaluate, n=5))


@pytest.mark.slow
def test_the_mean_of_one_checkpoint_is_that_checkpoint(command, copy_folder, copy_run, tmp_path):
    out = tmp_path / "mean"
    status, said, error = command("average", copy_folder, out, "--last", "1")
    assert (status, error) == (0, "")
    assert said.startswith("exact match ")
    mean = load_run(out).model.state_dict()
    assert all(mean[name].equal(each) for name, each in copy_run.model.state_dict().items())
