"""A finished run made small enough to give away."""

from pathlib import Path

import torch

from core.analysis.evaluation import evaluate
from core.checkpoint import save_weights, write_atomically
from core.run import PAIRS, load_run
from core.training.rundir import RunFolder

COPIED = ("run.json", "tokenizer.json", "words.txt", "metrics.jsonl", PAIRS)


def export_run(run_path: Path, out: Path) -> None:
    """Write all that looking at a run's model needs: no optimizer, weights in half precision.

    The evaluation is made anew, on the weights as they are written.

    Raises:
        FileExistsError: `out` holds something already.
        RunError: The folder is no run, or its task is a file of pairs that is gone.
    """
    run = load_run(run_path)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FileExistsError(f"{out} exists already")
    for name in COPIED:
        if (run_path / name).exists():
            write_atomically(out / name, (run_path / name).read_bytes())
    weights = out / "checkpoints" / f"step-{run.step:08d}.safetensors"
    save_weights(run.model, weights, torch.float16)
    RunFolder(out).write_json("evaluation.json", evaluate(load_run(out)))
