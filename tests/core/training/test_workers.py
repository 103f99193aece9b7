"""Several processes, or several parts of a batch, learn what one process learns from it whole."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from core.runs.checkpoint import newest_checkpoint
from core.training.prepare import extend_run
from core.training.trainer import train_run
from tests.core import conftest as miniature

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = {"steps": 12, "evaluate_every": 6, "checkpoint_every": 6, "clip_norm": 0.5}
TRAIN = """
import sys
from pathlib import Path
from core.training import trainer
trainer.EVALUATION_SAMPLES = 10
for _ in trainer.train_run(Path(sys.argv[1])):
    pass
"""
CLOSE = {"rtol": 1e-3, "atol": 2e-5}


def metrics(path):
    return [json.loads(line) for line in (path / "metrics.jsonl").open()]


def torchrun(path, script):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", "2", str(script), str(path)]
    subprocess.run(command, cwd=ROOT, check=True, env=environment(), timeout=120)


def environment():
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


def finished(path):
    for _ in train_run(path):
        pass
    return path


def assert_same_training(one, other):
    for row, its_row in zip(metrics(one), metrics(other), strict=True):
        assert row.keys() == its_row.keys()
        for name in row.keys() - {"seconds", "tokens_per_second"}:
            assert row[name] == pytest.approx(its_row[name], rel=2e-4, abs=1e-6), name
    assert_same_weights(one, other)


def assert_same_weights(one, other):
    weights = [load_file(newest_checkpoint(path)) for path in (one, other)]
    for name, tensor in weights[0].items():
        # The same number added to all scores of a row changes no weight: the gradient of a key's
        # bias is 0 but for rounding, and Adam makes whole steps of it.
        if name.endswith("key.bias"):
            continue
        # So it does of the few other gradients that nearly cancel out, which ones depends on the
        # processor; such a step is small all the same.
        torch.testing.assert_close(tensor, weights[1][name], rtol=1e-3, atol=1e-3)
        far = ~torch.isclose(tensor, weights[1][name], **CLOSE)
        assert far.float().mean() <= 0.01, name


@pytest.fixture
def without_dropout(monkeypatch):
    still = replace(miniature.MINIATURE.model, dropout=0.0)
    preset = replace(miniature.MINIATURE, model=still)
    monkeypatch.setattr(miniature, "MINIATURE", preset)


@pytest.mark.parametrize(
    ("task", "guide"),
    [("copy", ""), pytest.param("translate", "encoder.1.self:0", marks=pytest.mark.slow)],
)
def test_a_batch_in_parts_is_learned_like_a_whole_one(
    prepare, tmp_path, without_dropout, task, guide
):
    paths = [
        finished(prepare(tmp_path / str(n), task, **SETTINGS, guide=guide, accumulate=n))
        for n in (1, 4)
    ]
    assert_same_training(*paths)


@pytest.mark.slow
def test_two_processes_learn_what_one_learns_and_only_the_first_needs_the_run_folder(
    prepare, tmp_path, without_dropout
):
    """Each process in a folder of its own, as on two machines."""
    settings = SETTINGS | {"guide": "encoder.1.self:0", "accumulate": 2}
    script = tmp_path / "train.py"
    own = TRAIN.replace("Path(sys.argv[1])", 'Path(sys.argv[1] + os.environ["RANK"])')
    script.write_text(own.replace("import sys", "import os, sys"))
    one, two = (prepare(tmp_path / name, "translate", **settings) for name in ("one", "two0"))
    finished(one)
    torchrun(tmp_path / "two", script)
    assert not (tmp_path / "two1").exists()
    assert_same_training(one, two)
    # Who goes on with the run needs no other process for it.
    files = {file.name for file in two.iterdir()}
    assert files == {file.name for file in one.iterdir()}


@pytest.mark.slow
def test_two_processes_that_were_paused_end_like_two_that_were_not(prepare, tmp_path):
    """With dropout, and a batch that is not split evenly."""
    script = tmp_path / "train.py"
    script.write_text(TRAIN)
    settings = SETTINGS | {"batch_size": 7}
    whole, parts = (prepare(tmp_path / name, **settings) for name in ("whole", "parts"))
    torchrun(whole, script)
    extend_run(parts, 5)
    torchrun(parts, script)
    extend_run(parts, SETTINGS["steps"])
    torchrun(parts, script)
    weights = [newest_checkpoint(path).read_bytes() for path in (whole, parts)]
    assert weights[0] == weights[1]
