"""Whatever moment a training is killed at, it goes on as if it had never stopped."""

import json
import random
import time

import pytest

from core.runs.checkpoint import newest_checkpoint
from core.runs.run import load_run
from core.tasks import Sample
from core.tasks.corpus import Corpus
from core.training import trainer
from core.training.trainer import train_run
from tests.killing import FORKS, KILLS

STEPS = 30 * KILLS


def train(path):
    trainer.EVALUATION_SAMPLES = 10
    for _ in train_run(path):
        pass


def stored(path):
    assert newest_checkpoint(path) is not None
    found = sorted(path.glob("*/*.safetensors"))
    return {str(file.relative_to(path)): file.read_bytes() for file in found}


def begun(path):
    """Start a training in a process of its own, and wait until it has taken a step."""
    before = (path / "status.json").read_bytes() if (path / "status.json").exists() else b""
    process = FORKS.Process(target=train, args=(path,))
    process.start()
    while process.is_alive():
        status = path / "status.json"
        if status.exists() and status.read_bytes() != before:
            break
        time.sleep(0.005)
    return process


# An epoch of own pairs is some 40 batches: kills come in the middle of it.
PAIRS = [Sample(f"cat {n}" + " and" * (n % 7), f"chat {n}") for n in range(400)]
TASKS = {"copy": ("copy", {}), "own pairs": (Corpus("mine", PAIRS), {"batch_tokens": 120})}


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_a_training_killed_again_and_again_equals_one_never_interrupted(prepare, tmp_path, name):
    task, changed = TASKS[name]
    settings = {"steps": STEPS, "checkpoint_every": 3, "evaluate_every": STEPS, **changed}
    whole = prepare(tmp_path / "whole", task, **settings)
    for _ in train_run(whole):
        pass
    path = prepare(tmp_path / "killed", task, **settings)
    FORKS.set_forkserver_preload([__name__, "torch._dynamo"])
    rng, killed = random.Random(0), 0
    while killed < KILLS:
        process = begun(path)
        time.sleep(rng.uniform(0, 0.12))
        assert process.is_alive(), "the training ended before it could be killed"
        process.kill()
        process.join()
        killed += 1
    assert json.loads((path / "status.json").read_text())["step"] < STEPS
    for _ in train_run(path):
        pass
    print(f"training of {name}: killed {killed} times")
    load_run(path)
    assert stored(path) == stored(whole)
    assert (path / "words.txt").read_bytes() == (whole / "words.txt").read_bytes()
    for folder in (".", "checkpoints", "snapshots", "best"):
        names = [{each.name for each in (run / folder).iterdir()} for run in (path, whole)]
        assert names[0] == names[1]
