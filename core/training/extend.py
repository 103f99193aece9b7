"""A run that is to go on for more steps than it was prepared for."""

import shlex
from dataclasses import replace
from pathlib import Path

from core.config import ConfigError
from core.config.training import TrainConfig
from core.runs.checkpoint import has_state, kept_step
from core.runs.folder import RunFolder
from core.runs.run import RunError, read_settings
from core.tasks import task_named
from core.tasks.corpus import Mixed


def require_state(path: Path) -> None:
    """Refuse a run that cannot go on.

    Raises:
        RunError: It has weights, but no optimizer.
    """
    if not has_state(path):
        raise RunError("{path}: its optimizer was not kept, so it cannot go on", path=path)


def extend_run(path: Path, steps: int | None = None, made_share: float | None = None) -> None:
    """Ask a run for another number of steps, or other batches, than it was prepared for.

    The schedule of its first steps was that of the old number: what makes the same run again is
    both commands, one after the other.

    Args:
        path: The run's folder.
        steps: In all; None for those it has.
        made_share: Of the sentences that a task makes beside own pairs, from now on; None for
            what it was.

    Raises:
        ConfigError: There are no such steps, more have been done, or the share is of nothing.
        RunError: The folder is no run, it cannot go on, or a process is training it.
    """
    folder = RunFolder(path)
    settings = read_settings(path)
    asked = {"steps": steps, "made_share": made_share}
    wanted = {name: value for name, value in asked.items() if value is not None}
    training = TrainConfig.from_dict(settings.training.to_dict() | wanted)
    if made_share is not None and not isinstance(task_named(settings.task, path), Mixed):
        raise ConfigError(
            "{path} learned nothing beside its task: made_share is a share of both", path=path
        )
    with folder.held():
        if training == settings.training:
            return
        done = kept_step(path)
        if training.steps < done:
            raise ConfigError(
                "steps is {steps}, but {path} has done {done}",
                steps=training.steps,
                path=path,
                done=done,
            )
        require_state(path)
        then = ["python", "-m", "core", "train", str(path), "--resume"]
        then += ["--steps", str(steps)] if steps is not None else []
        then += ["--set", f"made_share={made_share:g}"] if made_share is not None else []
        command = f"{settings.command}\n{shlex.join(then)}  # from step {done} on"
        longer = replace(settings, training=training, command=command)
        folder.write_json("run.json", longer.to_dict())
