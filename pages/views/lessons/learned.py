"""Positions that were learned like all other weights, beside the formula."""

from pathlib import Path

import streamlit as st

from core.model.positional import Embedding
from core.runs.run import Run, RunError
from core.studies.lessons.positions import (
    Learned,
    LearnedBeside,
    cosines,
    learned,
    learned_beside,
)
from core.training.presets import train_command
from pages.frame import cached, controls
from pages.frame.charts import chart
from pages.frame.language import _, number, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.charts.curves import Chart, Quantity, Rule, curves

FIRST_POSITION = 8
"""To begin with; few tables end before it."""
LONGEST, BEYOND = 50, 3
"""Positions that are shown at most, and of them those that training never reached."""
UNLIKE = 0.5
"""Below this cosine two rows have little in common."""
LEARNED, SINUSOIDS = "learned", "sinusoids"


def draw(opened: Opened) -> Shown | None:
    """Draw learned positions beside sinusoids of the same width."""
    run = _learned_run(opened)
    if run is None:
        st.info(_("No run here has learned its positions. Train one in about a minute:"))
        settings = {"positions": LEARNED}
        st.code(train_command(Path("runs/learned"), {"task": ["copy"]}, "tiny", settings), "bash")
        return None
    length = _length(run)
    usual = min(FIRST_POSITION, length - 1)
    position = controls.amount(
        _("Position"), "pe_learned_pos", usual, limits=(0, length - 1), slides=length > 1
    )
    recipe = Recipe(learned_beside, run.path, length, position)
    found = recipe.result()
    picture = chart(_curves(found, position))
    if reached := _reached(found.learned):
        st.caption(reached)
    other = _("This is **{run}**, a run that learned its positions, not {chosen}.").format(
        run=plain(run.name), chosen=plain(opened.run.name)
    )
    return Shown(
        name="learned",
        title=_("Learned by {run}").format(run=run.name),
        recipe=recipe,
        other_model="" if run.path == opened.path else other,
        seen=_seen(found, position),
        code=[Embedding, learned, cosines],
        pictures=[picture],
        about={"model": run.name, "step": str(run.step)},
    )


def _learned_run(opened: Opened) -> Run | None:
    """Return the chosen run where it learned its positions, or else the first that did."""
    for path in (opened.path, *cached.run_paths().values()):
        try:
            settings = cached.settings(path)
            # How an opened model began is not known, with which what it learned is compared.
            if settings.model.positions == "learned" and not settings.is_opened:
                return cached.loaded(path)
        except RunError:
            continue
    return None


def _length(run: Run) -> int:
    """Return how many positions are shown: a few more than training has reached."""
    most = min(LONGEST, run.settings.model.max_positions)
    return min(most, (Recipe(learned, run.path, most).result().trained or most) + BEYOND)


def _seen(found: LearnedBeside, position: int) -> str:
    """Say which other position is most like one, and that training made neighbours alike."""
    alike, trained = found.cosines[LEARNED], found.learned.trained
    others = [place for place in range(len(alike)) if place != position]
    if not others:
        return _("There is one position only.")
    most = max(others, key=lambda place: alike[place])
    text = _("Position {p} is most like position **{q}** (cosine **{x}**).")
    if trained is not None and position >= trained:
        text = _(
            "Training never reached position {p}: of all others, **{q}** is most like it (cosine "
            "**{x}**)."
        )
        if alike[most] < UNLIKE:
            text = _(
                "Training never reached position {p}: its row is like no other (cosine at most "
                "**{x}**)."
            )
    elif abs(most - position) == 1 and (trained is None or most < trained):
        text = _(
            "Yes: nobody said which positions are neighbours, and yet training made position "
            "**{p}** most like its neighbour **{q}** (cosine **{x}**)."
        )
    return text.format(p=number(position), q=number(most), x=number(alike[most], 2))


def _curves(found: LearnedBeside, position: int) -> Chart:
    trained, ends = found.learned.trained, []
    if trained is not None and trained < len(found.cosines[LEARNED]):
        ends = [Rule(trained, _("never trained"))]
    labels = {LEARNED: _("learned"), SINUSOIDS: _("sinusoids")}
    return curves(
        {labels[name]: list(values) for name, values in found.cosines.items()},
        x=Quantity(_("position")),
        y=Quantity(_("cosine with position {p}").format(p=number(position))),
        title=_("Which positions are like position {p}?").format(p=number(position)),
        rules=[*([] if ends and position == trained else [Rule(position, _("itself"))]), *ends],
    )


def _reached(found: Learned) -> str:
    """Say how far training reached, where that is known."""
    n = len(found.untouched_P)
    if found.untouched_P.all():
        text = _("No position has changed since training began: all {n} are random.")
        return text.format(n=number(n))
    if found.trained is None:
        return ""
    text = _(
        "Training reached positions 0 to {last} of {n}; the others are as they began, random and "
        "small."
    )
    return text.format(last=number(found.trained - 1), n=number(n))
