"""Silence one head after the other: how many heads does the task need?"""

from collections.abc import Sequence

import streamlit as st

from core.runs.run import RunError
from core.studies.effects import pruning
from core.studies.effects.pruning import (
    N_PRUNED,
    SEED,
    PruningPoint,
    greedy_pruning,
    heads_needed,
    pruning_curve,
)
from pages.frame import measured_on, notes
from pages.frame.charts import chart
from pages.frame.language import N_, _, joined, listed, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import head_jobs
from viz.charts.curves import Chart, Quantity, curves
from viz.component.standalone import Drawn

START = "prune_start"
"""Key of the button."""
TOLERANCE = 0.01
"""Share of the sentences that may be lost."""
SERIES = N_("Cheapest head each time")
"""What the curve is called."""


def draw(opened: Opened) -> Shown:
    """Draw how quality falls as one head after the other goes; offer to measure it."""
    recipe = Recipe(pruning_curve, opened.path, N_PRUNED)
    try:
        found = recipe.result().points
    except RunError as error:
        st.error(plain(explained(error)))
        found = ()
    n_passes = pruning.n_passes(opened.run)
    head_jobs.offer(
        opened.run,
        pruning.PRUNING,
        lambda: pruning.start(opened.path, N_PRUNED),
        key=START,
        label=n_("Prune ({n} pass)", "Prune ({n} passes)", n_passes).format(n=number(n_passes)),
        enough=bool(found),
    )
    pictures: list[Drawn] = []
    if found:
        pictures.append(chart(_picture(found)))
        st.caption(joined([_last_to_go(found), _measured(opened, found)]))
    text = view_text("heads", "silence")
    return Shown(
        name="prune",
        title=_("How quality falls, from right to left, as one head after the other goes"),
        recipe=recipe,
        seen=seen(found),
        code=(greedy_pruning, heads_needed),
        pictures=pictures,
        how_to_read=text.sections["How to read pruning"],
        formula=text.sections["Formula of pruning"].strip("$\n"),
    )


def seen(points: Sequence[PruningPoint]) -> str:
    """Say in Markdown how many heads the task needs, where that is known."""
    if not points:
        return _("Nothing is measured yet: press “{button}”.").format(button=_("Prune"))
    n_needed = heads_needed(points, TOLERANCE)
    if n_needed is None:
        text = _("All heads together get **{all}** right: there is too little to lose.")
        return text.format(all=percent(points[0].exact_match))
    text = n_(
        "**{gone}** of {of} head can go, and {share} of {n} sentences are still right "
        "(with all {all}).",
        "**{gone}** of {of} heads can go, and {share} of {n} sentences are still right "
        "(with all {all}).",
        points[0].n_left,
    )
    [at] = [point for point in points if point.n_left == n_needed]
    return text.format(
        gone=number(points[0].n_left - n_needed),
        of=number(points[0].n_left),
        share=percent(at.exact_match),
        all=percent(points[0].exact_match),
        n=number(points[0].n),
    )


def _last_to_go(points: Sequence[PruningPoint]) -> str:
    """Say which heads stay longest."""
    last = [notes.within_sentence(each.removed) for each in points[-3:] if each.removed is not None]
    return _("The last heads to go: {last}.").format(last=listed(last))


def _measured(opened: Opened, points: Sequence[PruningPoint]) -> str:
    text = _("On {sentences}; the same sentences choose the next head and measure what is left.")
    return text.format(sentences=measured_on.drawn(opened.run, points[0].n, SEED))


def _picture(points: Sequence[PruningPoint]) -> Chart:
    return curves(
        {_(SERIES): [each.exact_match for each in points]},
        x=Quantity(_("heads left")),
        y=Quantity(_("exact match"), share=True),
        at=[each.n_left for each in points],
        title=_("How quality falls, from right to left, as one head after the other goes"),
    )
