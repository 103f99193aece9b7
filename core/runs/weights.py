"""The weights that a run keeps, and the steps at which its model can be looked at.

checkpoints/  what training goes on from, the newest step; weights of some before it if asked for
snapshots/    log-spaced steps, rounded to 8 bits
best/         the step with the lowest held-out loss
live/         the newest steps, while somebody watches the training
start/        of step 0, where a run began with the weights of another
"""

from pathlib import Path

CHECKPOINTS, SNAPSHOTS, BEST, LIVE = "checkpoints", "snapshots", "best", "live"
START = "start"
FOLDERS = (CHECKPOINTS, BEST, LIVE, START, SNAPSHOTS)
"""The first that has a step is asked for it: the exact ones before the rounded ones."""
WEIGHT_FOLDERS = (BEST, CHECKPOINTS, SNAPSHOTS, START)
"""Those whose weights stay, and are given away."""


def weights_file(step: int) -> str:
    """Return the name of a step's weights.

    >>> weights_file(400)
    'step-00000400.safetensors'
    """
    return f"step-{step:08d}.safetensors"


def step_of(weights: Path) -> int:
    """Return the step in the name of a file of weights."""
    return int(weights.name.removeprefix("step-").split(".")[0])


def weights_in(path: Path, folder: str) -> list[Path]:
    """Return the files of weights in one of a run's folders, the fewest steps first."""
    found = [file for file in (path / folder).glob("step-*.safetensors") if _is_weights(file)]
    return sorted(found, key=step_of)


def newest_checkpoint(path: Path) -> Path | None:
    """Return the weights that training would go on from, or None where there are none."""
    found = weights_in(path, CHECKPOINTS)
    return found[-1] if found else None


def kept_step(path: Path) -> int:
    """Return the step that training would go on from."""
    checkpoint = newest_checkpoint(path)
    return 0 if checkpoint is None else step_of(checkpoint)


def has_state(path: Path) -> bool:
    """Say whether training can go on: an exported run has weights, but no optimizer."""
    checkpoint = newest_checkpoint(path)
    return checkpoint is None or checkpoint.with_suffix(".state.safetensors").exists()


def best_weights(path: Path) -> Path | None:
    """Return the weights with the lowest held-out loss, or None where none were kept."""
    found = weights_in(path, BEST)
    return found[-1] if found else None


def weights_at(path: Path, step: int) -> Path | None:
    """Return the most exact weights of a step, or None where none were kept."""
    files = (path / folder / weights_file(step) for folder in FOLDERS)
    return next((file for file in files if file.exists()), None)


def stops(path: Path) -> tuple[int, ...]:
    """Return the steps at which a run's model can be loaded, in order; 0 is before training."""
    kept = {step_of(file) for folder in FOLDERS for file in weights_in(path, folder)}
    return tuple(sorted({0, *kept}))


def is_snapshot_step(step: int) -> bool:
    """Say whether a snapshot is due: at 1, 2, 5, 10, 20, 50 … steps.

    >>> [step for step in range(1, 200) if is_snapshot_step(step)]
    [1, 2, 5, 10, 20, 50, 100]
    """
    digits = str(step)
    return digits[0] in "125" and not digits[1:].strip("0")


def _is_weights(file: Path) -> bool:
    return file.name.removeprefix("step-").removesuffix(".safetensors").isdecimal()
