"""Whatever moment a training is killed at, it goes on as if it had never stopped."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.run import newest_checkpoint
from core.training.job import train_run

KILLS = 20
ROOT = Path(__file__).resolve().parents[3]
STEPS = 600
TRAIN = """
import sys
import tests.core.conftest as miniature
from core.training import job
job.TOKENIZER_SAMPLES, job.EVALUATION_SAMPLES = 300, 10
for _ in job.train_run(__import__("pathlib").Path(sys.argv[1])):
    pass
"""


def stored(path):
    weights = newest_checkpoint(path)
    return weights.read_bytes(), weights.with_suffix(".state.safetensors").read_bytes()


def begun(path):
    """Start a training in a process of its own, and wait until it has taken a step."""
    before = (path / "status.json").read_bytes() if (path / "status.json").exists() else b""
    process = subprocess.Popen([sys.executable, "-c", TRAIN, str(path)], cwd=ROOT)
    while process.poll() is None:
        status = path / "status.json"
        if status.exists() and status.read_bytes() != before:
            break
        time.sleep(0.005)
    return process


@pytest.mark.slow
def test_a_training_killed_again_and_again_equals_one_never_interrupted(prepare, tmp_path):
    settings = {"steps": STEPS, "checkpoint_every": 3, "evaluate_every": STEPS}
    whole = prepare(tmp_path / "whole", **settings)
    for _ in train_run(whole):
        pass
    path = prepare(tmp_path / "killed", **settings)
    rng, killed = random.Random(0), 0
    while killed < KILLS:
        process = begun(path)
        time.sleep(rng.uniform(0, 0.12))
        assert process.poll() is None, "the training ended before it could be killed"
        process.kill()
        process.wait()
        killed += 1
    assert json.loads((path / "status.json").read_text())["step"] < STEPS
    for _ in train_run(path):
        pass
    assert stored(path) == stored(whole)
    assert (path / "words.txt").read_bytes() == (whole / "words.txt").read_bytes()
    for folder in (".", "checkpoints"):
        names = [{each.name for each in (run / folder).iterdir()} for run in (path, whole)]
        assert names[0] == names[1]
