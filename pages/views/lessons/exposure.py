"""Exposure bias: how far a model's early mistakes carry, over held-out sentences."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.evaluate.exposure import (
    PositionAccuracy,
    exposure,
    held_out_exposure,
    overall,
)
from core.runs.checkpoint import stops
from pages.frame import cached, charts, controls, measured_on
from pages.frame.cached import RunAt
from pages.frame.language import _, joined, n_, number, percent_of_100, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from viz.charts.curves import Chart, Quantity, curves

SAMPLES = 60
"""Held-out sentences: few enough to be decoded while one looks."""
STAGE, EARLY, END = "exposure_stage", "early", "end"
MOST_STEPS = 4
"""Number of latest stored steps, among which the one with the largest gap is shown."""
HARDLY = 0.01
"""A gap of at most this share of the tokens is hardly one."""
FEWEST_TARGETS = 10
"""A position that fewer targets reach is left out of the chart: one of them would be a jump."""


def draw(opened: Opened) -> Shown | None:
    """Draw how often each target position is right, with true and with own words fed."""
    run = _ask(opened, _early(opened))
    path = run.path if isinstance(run, RunAt) else run
    n = measured_on.most(cached.loaded(path), SAMPLES)
    recipe = Recipe(held_out_exposure, run, n)
    found = recipe.result()
    whole = overall(found.positions)
    picture = charts.chart(_chart(found.positions))
    caption = _(
        "The exposure bias is at most this gap of {gap} points: one extra word makes all words "
        "after it count as wrong. Measured on {sentences}."
    )
    st.caption(
        caption.format(
            gap=number(100 * (whole.forced - whole.free), 1),
            sentences=measured_on.sentences(cached.loaded(path), n),
        )
    )
    return Shown(
        name="exposure-bias",
        title=_("Right tokens at each target position, true and own words fed"),
        recipe=recipe,
        other_model=_instead(opened, path),
        seen=_seen(run, whole),
        code=[held_out_exposure, exposure, overall],
        pictures=[picture],
    )


def _ask(opened: Opened, early: RunAt | None) -> Path | RunAt:
    """Ask whether to look at a model early in training, where there is one."""
    if early is None:
        return opened.path
    stages = {EARLY: _("early in training"), END: _("trained to the end")}
    with row():
        stage = controls.choice(_("The model"), STAGE, stages, EARLY)
    return early if stage == EARLY else opened.path


def _early(opened: Opened) -> RunAt | None:
    """Return a model that still makes mistakes: the chosen one before the end of its training.

    A run that kept no such weights makes room for the first that did; None where none did.
    """
    paths = cached.run_paths().values()
    path = next((path for path in (opened.path, *paths) if _snapshots(path)), None)
    if path is None:
        return None
    gaps = {}
    for step in _snapshots(path)[-MOST_STEPS:]:
        found = overall(Recipe(held_out_exposure, RunAt(path, step), SAMPLES).result().positions)
        gaps[step] = found.forced - found.free
    return RunAt(path, max(gaps, key=lambda step: gaps[step]))


def _snapshots(path: Path) -> tuple[int, ...]:
    """Return the steps between the untrained model and the newest weights that a run kept."""
    return stops(path)[1:-1]


def _instead(opened: Opened, path: Path) -> str:
    """Say that another model is shown, and why; nothing where it is the chosen one."""
    if path == opened.path:
        return ""
    return _("Shown is **{other}**: **{own}** kept no weights from early in its training.").format(
        other=plain(path.name), own=plain(opened.path.name)
    )


def _seen(run: Path | RunAt, whole: PositionAccuracy) -> str:
    """Say how many tokens are right when the model is fed the true words, and its own."""
    shares = {"forced": whole.forced, "free": whole.free}
    text = _(
        "One mistake hardly leads to others: fed the true words, **{forced}** of the tokens are "
        "right; fed its own words, **{free}**."
    )
    if whole.forced - whole.free > HARDLY:
        text = _(
            "One mistake leads to the next: fed the true words, **{forced}** of the tokens are "
            "right; fed its own words, mistakes included, only **{free}**."
        )
    sentence = text.format(
        **{name: percent_of_100(100 * share, 1) for name, share in shares.items()}
    )
    if not isinstance(run, RunAt):
        return sentence
    steps = cached.settings(run.path).training.steps
    early = n_(
        "The model is shown early, after {step} of {steps} training step.",
        "The model is shown early, after {step} of {steps} training steps.",
        steps,
    )
    return joined([sentence, early.format(step=number(run.step), steps=number(steps))])


def _chart(positions: Sequence[PositionAccuracy]) -> Chart:
    fewest = min(FEWEST_TARGETS, max(each.n for each in positions))
    reached = [each for each in positions if each.n >= fewest]
    return curves(
        {
            _("true words fed (teacher forcing)"): [each.forced for each in reached],
            _("own words fed (free running)"): [each.free for each in reached],
        },
        x=Quantity(_("target position")),
        y=Quantity(_("right tokens"), share=True),
        title=_("Share of right tokens at each position"),
    )
