"""Positions that were learned like all other weights, beside the formula."""

from collections.abc import Iterator

import numpy as np
import streamlit as st

from core.config import ConfigError
from core.model.positional import POSITION_LABELS, Embedding
from core.runs.run import Run, RunError
from core.studies.lessons.positions import (
    Array,
    Learned,
    LearnedBeside,
    cosines,
    learned,
    learned_beside,
    require_length,
)
from pages.frame import cached, controls
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.language import _, joined, n_, number, plain, short
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown, saying_why
from pages.views.lessons import positions
from viz.charts.curves import Chart, Quantity, Rule, curves
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices, Matrix, numbered

FIRST_POSITION = 8
"""To begin with; few tables end before it."""
_BEYOND = 3
"""So many positions are shown that training never reached."""
LEARNED, SINUSOIDS = "learned", "sinusoids"


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown | None:
    """Draw learned positions beside sinusoids of the same width."""
    run = _learned_run(opened)
    if run is None:
        st.info(_("No run here has learned its positions. Train one in about a minute:"))
        st.code(
            "python -m core train runs/learned --task copy --preset tiny --positions learned",
            language="bash",
        )
        return None
    model = run.settings.model
    with positions.row():
        wanted = positions.length(_telling_length(run))
        usual = min(FIRST_POSITION, model.max_positions - 1)
        position = controls.amount(_("Position"), "pe_learned_pos", usual)
    require_length(wanted)
    recipe = Recipe(learned_beside, run.path, min(wanted, model.max_positions), position)
    found = recipe.result()
    st.caption(joined(_said(found.learned, wanted)))
    if len(found.tables) == 1:
        st.caption(_("Sinusoids need an even width."))
    shown, own = "", opened.run.settings.model.positions
    if run.path != opened.path:
        why = _("the chosen model has no learned vectors of positions: {positions}.").format(
            positions=_(POSITION_LABELS[own])
        )
        if own == "learned":
            why = _("how the positions of the chosen model were before training is not known.")
        shown = _("**{run}** is shown: {why}").format(run=plain(run.name), why=why)
    return Shown(
        name="learned",
        title=_("Learned by {run}").format(run=run.name),
        recipe=recipe,
        other_model=shown,
        seen=_seen(found, position, run.name),
        code=[Embedding, learned, cosines],
        pictures=_pictures(found, position, run.name),
        about={"model": run.name, "step": str(run.step)},
    )


def _telling_length(run: Run) -> int:
    """Return the length to begin with: a few more positions than training has reached."""
    most = min(positions.DEFAULT_LENGTH, run.settings.model.max_positions)
    found = cached.call(learned, run.path, most)
    return min(most, (found.trained or most) + _BEYOND)


def _seen(found: LearnedBeside, position: int, run: str) -> str:
    """Say which other position looks most like one, and of a neighbour that training made it so."""
    alike, trained = found.cosines[LEARNED], found.learned.trained
    others = [place for place in range(len(alike)) if place != position]
    if not others:
        return _("There is one position only.")
    most = max(others, key=lambda place: alike[place])
    text = _("Learned by **{run}**: position {p} looks most like position **{q}**, cosine **{x}**.")
    reached = trained is None or max(most, position) < trained
    if abs(most - position) == 1 and reached:
        text = _(
            "Nobody told **{run}** which positions are neighbours, and yet training made {p} most "
            "like **{q}**: the cosine of their vectors is **{x}** (1: the same direction, 0: "
            "nothing in common)."
        )
    parts = {"run": plain(run), "p": number(position), "q": number(most)}
    return text.format(**parts, x=number(alike[most], 2))


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


def _pictures(found: LearnedBeside, position: int, run: str) -> list[Drawn]:
    """Draw the tables side by side, and what looks like one position beside them."""
    titles = {LEARNED: _title(found.learned, run), SINUSOIDS: _("Sinusoids of the same width")}
    # The curve says it at once; the tables show of what.
    first, *places = st.columns(len(found.tables) + 1)
    pictures = []
    # One colour is one number in both.
    limit = max(float(np.abs(table_PD).max()) for table_PD in found.tables.values())
    for place, (name, table_PD) in zip(places, found.tables.items(), strict=True):
        with place:
            shown = Matrices(panels=[_map(table_PD, titles[name], limit)])
            pictures.append(matrices(shown, key=f"pe_learned_{name}"))
    with first:
        pictures.append(chart(_curves(found, position)))
    return pictures


def _title(found: Learned, run: str) -> str:
    """Return whose positions they are, and from which row on nothing was learned."""
    trained = found.trained
    if found.mean_norm_trained is None or trained is None or trained >= len(found.norms_P):
        return _("Learned by {run}").format(run=run)
    text = _("Learned by {run}; from row {row} on never trained")
    return text.format(run=run, row=number(trained))


def _map(table_PD: Array, title: str, limit: float) -> Matrix:
    length, width = table_PD.shape
    return Matrix(
        title=title,
        values=table_PD.astype(np.float32),
        rows=numbered(_("position"), length),
        columns=numbered(_("dimension"), width),
        scale="signed",
        limit=limit,
        value_name=_("value"),
    )


def _curves(found: LearnedBeside, position: int) -> Chart:
    trained, ends = found.learned.trained, []
    if trained is not None and trained < max(map(len, found.cosines.values())):
        ends = [Rule(trained, _("never trained"))]
    labels = {LEARNED: _("learned"), SINUSOIDS: _("sinusoids")}
    return curves(
        {labels[name]: list(values) for name, values in found.cosines.items()},
        x=Quantity(_("position")),
        y=Quantity(_("cosine with position {p}").format(p=number(position))),
        title=_("What looks like position {p}").format(p=number(position)),
        rules=[Rule(position, _("itself")), *ends],
    )


def _said(found: Learned, wanted: int) -> Iterator[str]:
    """Say how far the table goes, and how far training reached."""
    n = len(found.norms_P)
    if wanted > n:
        yield n_(
            "This model has {n} position; its table ends there.",
            "This model has {n} positions; its table ends there.",
            n,
        ).format(n=number(n))
    yield _reached(found, n)


def _reached(found: Learned, n: int) -> str:
    if found.mean_norm_trained is None:
        return _(
            "No position has changed since training began: all {n} are random, {x} long on average."
        ).format(n=number(n), x=short(found.mean_norm_untouched))
    if found.trained is None:
        mean = short(found.mean_norm_trained)
        return _("A position’s vector is {x} long on average.").format(x=mean)
    return _(
        "Training reached positions 0 to {last} of {n}. The vectors of the others are as they "
        "began: random and small (mean norm {y} instead of {x})."
    ).format(
        last=number(found.trained - 1),
        n=number(n),
        x=short(found.mean_norm_trained),
        y=short(found.mean_norm_untouched),
    )
