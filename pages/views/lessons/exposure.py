"""Exposure bias: how far a model's early mistakes carry, over held-out sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.evaluate.exposure import (
    Exposure,
    PositionAccuracy,
    exposure,
    exposures,
    held_out_exposure,
    overall,
)
from core.runs.checkpoint import stops
from core.runs.run import RunError
from core.tasks import TASKS
from pages.frame import cached, charts, controls, measured_on, session
from pages.frame.cached import RunAt
from pages.frame.language import _, capitalised, joined, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.charts.curves import Chart, Quantity, curves

FEW, MANY = 60, 400
"""Held-out sentences: so few are decoded while one looks, so many tell more."""
SAMPLES, BESIDE, STAGE = "exposure_samples", "exposure_beside", "exposure_stage"
EARLY, END = "early", "end"
MOST_STEPS = 4
"""The latest steps that a run kept, of which the one with the largest gap is shown."""
FEWEST_TARGETS = 10
"""A position that fewer targets reach is left out of the chart: one of them would be a jump."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A run whose exposure bias is measured."""

    name: str
    """What people call it."""
    run: Path | RunAt

    def recipe(self, n: int) -> Recipe[Exposure]:
        """Return what measures it on `n` held-out sentences."""
        return Recipe(held_out_exposure, self.run, n)


def draw(opened: Opened) -> Shown | None:
    """Draw how often each target position is right, with true and with own words fed."""
    try:
        early = _early(opened)
        n, runs, other = _ask(opened, early)
        on = measured_on.sentences(opened.run, n)
        recipe = Recipe(exposures, [each.recipe(n) for each in runs])
        results = recipe.result().runs
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    found = {each.name: result.positions for each, result in zip(runs, results, strict=True)}
    picture = charts.chart(_chart(found))
    return Shown(
        name="exposure-bias",
        title=_("Right tokens at each target position, true and own words fed"),
        recipe=recipe,
        other_model=other,
        seen=joined(_exposed(name, overall(each), on) for name, each in found.items()),
        code=[held_out_exposure, exposure, overall],
        pictures=[picture],
    )


def _ask(opened: Opened, early: Measured | None) -> tuple[int, list[Measured], str]:
    """Ask on how many held-out sentences to measure, and which runs.

    Returns:
        The number, the runs, and what is to be said where another model than the chosen is shown.
    """
    others = _others_of_its_task(opened)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stage = END
        if early:
            stages = {EARLY: _("early in training"), END: _("trained to the end")}
            usual = END if session.text_of(BESIDE) else EARLY
            stage = controls.choice(_("The model"), STAGE, stages, usual, labelled=True)
        n = _ask_how_many(opened)
        if early and stage == EARLY:
            return n, [early], _instead(opened, early.run)
        other = controls.selection(
            _("Compare with"),
            BESIDE,
            {"": _("none")} | {name: name for name in others},
            "",
            width=250,
            help_text=_("Another run of this task, trained with scheduled sampling for example."),
        )
    runs = [Measured(_("this run"), opened.path)]
    return n, runs + ([Measured(other, others[other])] if other else []), ""


def _ask_how_many(opened: Opened) -> int:
    """Ask on how many sentences to measure; where there are few, on all of them."""
    if (n := measured_on.most(opened.run, MANY)) <= FEW:
        return n
    offered = {each: number(each) for each in (FEW, n)}
    label = _("Your own pairs") if opened.run.settings.is_opened else _("Held-out sentences")
    return controls.choice(label, SAMPLES, offered, FEW, labelled=True)


def _instead(opened: Opened, early: Path | RunAt) -> str:
    """Say that another model is shown, and why; nothing where it is the chosen one."""
    path = early.path if isinstance(early, RunAt) else early
    if path == opened.path:
        return ""
    return _("Shown is **{other}**: **{own}** kept no weights from early in its training.").format(
        other=plain(path.name), own=plain(opened.path.name)
    )


def _early(opened: Opened) -> Measured | None:
    """Return a model that still makes mistakes: the chosen one before the end of its training.

    A run that kept no such weights makes room for the first that did; None where none did.
    """
    paths = cached.run_paths().values()
    path = next((path for path in (opened.path, *paths) if _snapshots(path)), None)
    if path is None:
        return None
    gaps = {}
    for step in _snapshots(path)[-MOST_STEPS:]:
        found = overall(Recipe(held_out_exposure, RunAt(path, step), FEW).result().positions)
        gaps[step] = found.forced - found.free
    widest = max(gaps, key=lambda step: gaps[step])
    steps = cached.settings(path).training.steps
    text = n_(
        "after {step} of {steps} training step", "after {step} of {steps} training steps", steps
    )
    said = text.format(step=number(widest), steps=number(steps))
    return Measured(said, RunAt(path, widest))


def _snapshots(path: Path) -> tuple[int, ...]:
    """Return the steps between the untrained model and the newest weights that a run kept."""
    return stops(path)[1:-1]


def _others_of_its_task(opened: Opened) -> dict[str, Path]:
    """Return the other runs that learned the same; of own pairs nobody knows whether they are."""
    task = opened.run.settings.task
    return {
        name: path
        for name, path in cached.run_paths().items()
        if path != opened.path and task in TASKS and _task_of(path) == task
    }


def _task_of(path: Path) -> str | None:
    try:
        unusable = cached.complaint(path) or cached.settings(path).model.is_parallel
        return None if unusable else cached.settings(path).task
    except RunError:
        return None


def _chart(found: Mapping[str, Sequence[PositionAccuracy]]) -> Chart:
    most = max(each.n for positions in found.values() for each in positions)
    fewest = min(FEWEST_TARGETS, most)
    series, ends = {}, []
    for name, positions in found.items():
        tail = "" if len(found) == 1 else f" · {name}"
        reached = [each for each in positions if each.n >= fewest]
        series[_("true words fed (teacher forcing)") + tail] = [each.forced for each in reached]
        series[_("own words fed (free running)") + tail] = [each.free for each in reached]
        ends.append(len(reached))
    return curves(
        {name: values[: min(ends)] for name, values in series.items()},
        x=Quantity(_("target position")),
        y=Quantity(_("right tokens"), share=True),
        title=_("Right tokens at each target position, EOS included"),
    )


def _exposed(name: str, found: PositionAccuracy, sentences: str) -> str:
    return n_(
        "{name}: **{forced}** of {n} token right when the model is fed the true words, **{free}** "
        "when it is fed its own: **{gap}** points less. The exposure bias is no larger: one "
        "word too many makes all after it count as wrong ({sentences}).",
        "{name}: **{forced}** of {n} tokens right when the model is fed the true words, **{free}** "
        "when it is fed its own: **{gap}** points less. The exposure bias is no larger: one "
        "word too many makes all after it count as wrong ({sentences}).",
        found.n,
    ).format(
        sentences=sentences,
        name=plain(capitalised(name)),
        forced=percent(found.forced),
        free=percent(found.free),
        gap=number(100 * (found.forced - found.free), 1),
        n=number(found.n),
    )
