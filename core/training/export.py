"""A finished run made small enough to give away."""

from collections.abc import Collection
from pathlib import Path

import torch

from core.evaluate.evaluation import evaluate
from core.files import write_atomically
from core.runs.checkpoint import save_weights
from core.runs.folder import RunFolder
from core.runs.run import RunError, load_run
from core.runs.weights import CHECKPOINTS, SNAPSHOTS, step_of, weights_file, weights_in
from core.tasks.corpus import FILES

COPIED = ("run.json", "tokenizer.json", "words.txt", "metrics.jsonl", *FILES.values())


def export_run(run_path: Path, out: Path, snapshots: Collection[int] = ()) -> None:
    """Write all that looking at a run's model needs: no optimizer, weights in half precision.

    The evaluation is made anew, on the weights as they are written.

    Args:
        run_path: The run.
        out: The folder to make.
        snapshots: Steps whose snapshots go with it.

    Raises:
        FileExistsError: `out` holds something already.
        RunError: The folder is no run, its task is a file of pairs that is gone, or a snapshot
            was not kept.
    """
    run = load_run(run_path)
    kept = {step_of(file): file for file in weights_in(run_path, SNAPSHOTS)}
    if missing := sorted(set(snapshots) - set(kept)):
        raise RunError(f"{run_path}: no snapshot of step {missing[0]} was kept")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FileExistsError(f"{out} exists already")
    out.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        if (run_path / name).exists():
            write_atomically(out / name, (run_path / name).read_bytes())
    weights = out / CHECKPOINTS / weights_file(run.step)
    weights.parent.mkdir()
    save_weights(run.model, weights, torch.float16)
    for step in snapshots:
        (out / SNAPSHOTS).mkdir(exist_ok=True)
        write_atomically(out / SNAPSHOTS / weights_file(step), kept[step].read_bytes())
    RunFolder(out).write_json("evaluation.json", evaluate(load_run(out)))
