"""How a training stands, in words, and the buttons that make sense then."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from core.runs.folder import TRAINING
from core.runs.run import RunError
from core.training import process
from core.training.process import Situation
from pages.frame import cached, refusals, service
from pages.frame.language import N_, _, duration, n_, number, plain
from pages.frame.messages import explained
from pages.views.training import progress

STATES = progress.STATES | {
    "evaluating": N_("measuring the trained model on held-out pairs…"),
}
"""How a training stands."""
WISHES = {"pause": N_("pausing after the next step…"), "stop": N_("stopping after the next step…")}
"""What it was asked for, until it is done."""

_GO = "training_go"
"""Key of the button that starts, pauses and resumes: one button, so that it keeps the focus."""
_RECENT = 6
"""Number of newest measurements from which the speed is computed."""


def status_line(path: Path, found: Situation) -> str:
    """Return how a training stands, in one line of Markdown.

    Args:
        path: The run's folder.
        found: How it stands.
    """
    if found.state not in process.AT_WORK and (place := service.current().place_in_line(path)):
        return _line(_("waiting in line"), _("place {n}").format(n=number(place)), _steps(found))
    wish = TRAINING.asked(path) if found.state in ("starting", "running") else None
    if wish is not None:
        return _line(_(WISHES[wish]), _steps(found))
    parts = [_steps(found)]
    if found.state == "running":
        parts += _pace(path, found.steps - found.step)
    why = explained(found.message)
    if found.state == "interrupted":
        why = why or _("the training process ended unexpectedly; resume from the last checkpoint")
    elif found.state == "finished" and why:
        # Nothing else ends a training before its last step.
        patience = cached.settings(path).training.patience
        why = n_(
            "stopped early: the held-out loss was not lower in {n} evaluation",
            "stopped early: the held-out loss was not lower in {n} evaluations",
            patience,
        )
    return _line(_(STATES[found.state]), *parts, why)


def buttons(path: Path, found: Situation) -> None:
    """Offer the possible actions; errors are shown below."""
    if found.state in ("starting", "running"):
        pause = partial(TRAINING.ask, wish="pause")
        _button(_("Pause"), ":material/pause:", pause, path, _GO)
        stop = partial(TRAINING.ask, wish="stop")
        _button(_("Stop"), ":material/stop:", stop, path, "training_stop")
    elif service.current().place_in_line(path):
        _button(_("Leave the line"), ":material/close:", process.dequeue, path, _GO)
    elif found.can_go_on:
        label = _("Start") if found.state == "prepared" else _("Resume")
        _button(label, ":material/play_arrow:", _start, path, _GO)


def _start(path: Path) -> None:
    found = cached.settings(path)
    with service.current().starting(found.model, found.training) as start:
        start(path)


def seconds_left(rows: Sequence[Mapping[str, float]], steps: int) -> float | None:
    """Return how long some steps take at the pace of the last ones; None if unknown.

    >>> seconds_left([{"step": 10, "seconds": 1.0}, {"step": 20, "seconds": 2.0}], 50)
    5.0
    """
    timed = [row for row in rows[-_RECENT:] if "seconds" in row]
    if not timed:
        return None
    first, last = timed[0], timed[-1]
    if len(timed) == 1:
        return steps * last["seconds"] / last["step"]
    return steps * (last["seconds"] - first["seconds"]) / (last["step"] - first["step"])


def _button(label: str, icon: str, act: Callable[[Path], None], path: Path, key: str) -> None:
    st.button(label, icon=icon, key=key, on_click=refusals.attempt, args=(path, act, path))


def _line(state: str, *parts: str) -> str:
    return " · ".join([f"**{state}**", *(plain(part) for part in parts if part)])


def _steps(found: Situation) -> str:
    return _("step {step} of {steps}").format(step=number(found.step), steps=number(found.steps))


def _pace(path: Path, steps: int) -> list[str]:
    """Say how fast it goes, and how long it will take."""
    try:
        rows = progress.rows(path)
    except RunError:
        return []
    left = seconds_left(rows, steps)
    if left is None:
        return []
    return [
        _("{n} tokens/s").format(n=number(rows[-1].get("tokens_per_second", 0.0), 0)),
        _("about {time} left without measuring").format(time=duration(left)),
    ]


def say_problem(path: Path, error: Exception) -> None:
    """Say why a run cannot be shown."""
    if not path.is_dir():
        text = _("The folder of this run is gone: {path}")
        st.error(plain(text.format(path=explained(str(path)))))
    else:
        st.error(plain(explained(error)))
