"""What a training has written so far."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from core.messages import error_text
from core.runs.checkpoint import stops
from core.runs.metrics import read_rows
from core.runs.run import RunError, RunSettings
from core.studies.heads.findings import task_of
from core.tasks import Task
from pages.frame import cached, session
from pages.frame.cached import Folder
from pages.frame.language import N_, _, number
from pages.frame.recipe import Recipe

Computed = TypeVar("Computed")

STATES = {
    "prepared": N_("not begun"),
    "starting": N_("starting…"),
    "running": N_("running"),
    "evaluating": N_("measuring…"),
    "paused": N_("paused"),
    "stopped": N_("stopped"),
    "finished": N_("finished"),
    "failed": N_("failed"),
    "interrupted": N_("interrupted"),
    "opened": N_("opened"),
}
"""How a training stands → in a word or two."""

_NEWEST = "newest"


def rows(path: Path) -> list[dict[str, Any]]:
    """Return all measurements of a run.

    Raises:
        RunError: The file is damaged.
    """
    return cached.read(read_rows, Folder(path))


def at_newest(
    compute: Callable[..., Computed], path: Path, *arguments: object
) -> tuple[int, Computed]:
    """Return the newest step with weights, and `compute(run, *arguments)` for it.

    Weights for watching pages may be removed while they are read: then the previous result is
    returned again.

    Raises:
        RunError: The run cannot be used, and nothing was computed before.
    """
    kept, of = session.storage(_NEWEST), (path, arguments)
    before = kept.get(compute.__qualname__)
    try:
        step = stops(path)[-1]
        found = step, Recipe(compute, cached.RunAt(path, step), *arguments).result()
    except (OSError, RunError) as error:
        if before is None or before[0] != of or not path.is_dir():
            raise RunError(error_text(error)) from error
        found = before[1]
    kept[compute.__qualname__] = of, found
    return found


def task(path: Path) -> Task | None:
    """Return what a run learns, or None where its file of pairs is gone.

    Raises:
        RunError: The folder is no run.
    """
    # Also before the first checkpoint.
    return Recipe(task_of, cached.RunAt(path, 0)).result()


def why_training_loss_is_higher(settings: RunSettings) -> str:
    """Say what a training loss is counted with that a held-out one is not; nothing without it."""
    if settings.training.objective != "cross_entropy":
        return ""
    if not settings.training.teacher_forcing:
        return _(
            "The training loss stands higher, for the decoder was fed its own words; on held-out "
            "sentences it is counted after the true ones."
        )
    if not settings.model.dropout and not settings.training.label_smoothing:
        return ""
    return _(
        "The training loss stands higher, for it is counted with dropout {dropout} and label "
        "smoothing {smoothing}."
    ).format(
        dropout=number(settings.model.dropout, padded=False),
        smoothing=number(settings.training.label_smoothing, padded=False),
    )
