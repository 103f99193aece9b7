"""Runs derived from a finished one: small enough to share, or with averaged weights."""

import shlex
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch

from ..evaluate.evaluation import evaluate
from ..files import open_regular, write_atomically
from ..installed import COMMAND
from ..runs.checkpoint import (
    CHECKPOINTS,
    SNAPSHOTS,
    START,
    load_model,
    save_weights,
    step_of,
    weights_at,
    weights_file,
    weights_in,
)
from ..runs.files import NOTICE, PAIRS, read_bytes
from ..runs.folder import RunFolder, new_folder
from ..runs.run import RunError, load_run, read_settings
from ..tasks.corpus import FILES

COPIED = ("run.json", "tokenizer.json", "words.txt", "metrics.jsonl", NOTICE)


def export_run(
    run_path: Path,
    out: Path,
    snapshots: Collection[int] = (),
    *,
    pairs: bool = True,
    notice: str = "",
) -> None:
    """Write a run for inspection only: no optimizer, weights in half precision.

    The run is evaluated again with the written weights.

    Args:
        run_path: The run.
        out: The folder to make.
        snapshots: Steps whose snapshots are included.
        pairs: Whether the user's own pairs are included; figures measured on them always are.
        notice: Shown with the run; the run's own notice if empty.

    Raises:
        FileExistsError: `out` holds something already.
        RunError: The folder is no run, its task is a file of pairs that is gone or is not to go
            with it, or a snapshot was not kept.
    """
    run = load_run(run_path)
    files = {step_of(file): file for file in weights_in(run_path, SNAPSHOTS)}
    if missing := sorted(set(snapshots) - set(files)):
        raise RunError(
            "{path}: no snapshot of step {step} was kept", path=run_path, step=missing[0]
        )
    if not pairs and run.settings.task == PAIRS:
        raise RunError(
            "{path}: its pairs are all that it can be measured by; keep them", path=run_path
        )
    with _copied(run_path, out, pairs=pairs) as copy:
        if notice:
            write_atomically(copy / NOTICE, f"{notice}\n".encode())
        save_weights(run.model, copy / CHECKPOINTS / weights_file(run.step), torch.float16)
        for step in snapshots:
            (copy / SNAPSHOTS).mkdir(exist_ok=True)
            with open_regular(files[step]) as file:
                write_atomically(copy / SNAPSHOTS / weights_file(step), file.read())


def average_run(run_path: Path, out: Path, last: int) -> None:
    """Write a run whose weights are the mean of those of the last checkpoints.

    They lie around the same minimum, and their mean is nearer to it than any of them (Vaswani et
    al. 2017, section 6.1). The result is evaluated again.

    Args:
        run_path: A run that was trained with `keep_checkpoints`.
        out: The folder to make.
        last: Number of newest checkpoints.

    Raises:
        FileExistsError: `out` holds something already.
        RunError: The folder is no run, or has fewer checkpoints.
    """
    run = load_run(run_path)
    files = weights_in(run_path, CHECKPOINTS)
    if not 1 <= last <= len(files):
        raise RunError(
            "{path}: the mean is of 1 to {n} checkpoints, not of {last}; "
            "--set keep_checkpoints=K keeps more of them while a run is trained",
            path=run_path,
            n=len(files),
            last=last,
        )
    weights = [load_model(file, run.settings.model).saved() for file in files[-last:]]
    with torch.no_grad():
        for name, tensor in run.model.saved().items():
            tensor.copy_(torch.stack([each[name].double() for each in weights]).mean(dim=0))
    words = [*COMMAND.split(), "average", str(run_path), str(out), "--last", str(last)]
    command = f"{run.settings.command}\n{shlex.join(words)}"
    settings = replace(run.settings, command=command)
    with _copied(run_path, out, pairs=True) as copy:
        save_weights(run.model, copy / CHECKPOINTS / files[-1].name)
        RunFolder(copy).write_json("run.json", settings.to_dict())


@contextmanager
def _copied(run_path: Path, out: Path, *, pairs: bool) -> Iterator[Path]:
    """Yield a hidden copy of a run without weights and figures, to which weights are added.

    It is then evaluated and renamed: the result is a complete run or nothing.
    """
    with new_folder(out) as copy:
        (copy / CHECKPOINTS).mkdir()
        if (start := weights_at(run_path, 0)) is not None:
            (copy / START).mkdir()
            model = load_model(start, read_settings(run_path).model)
            save_weights(model, copy / START / start.name, torch.float16)
        for name in (*COPIED, *(FILES.values() if pairs else ())):
            if (run_path / name).exists():
                write_atomically(copy / name, read_bytes(run_path, name))
        yield copy
        # Also by pairs that do not go with it.
        figures = evaluate(load_run(copy), folder=run_path)
        RunFolder(copy).write_json("evaluation.json", figures)
