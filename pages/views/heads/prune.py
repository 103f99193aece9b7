"""Remove heads one by one: how many can the model do without?"""

from collections.abc import Iterator, Sequence

import streamlit as st

from core.runs.run import RunError
from core.studies.effects import pruning
from core.studies.effects.head_effects import HeadEffects
from core.studies.effects.pruning import (
    N_PRUNED,
    SEED,
    PruningPoint,
    greedy_pruning,
    heads_needed,
    pruning_curve,
)
from pages.frame import cached, measured_on, notes
from pages.frame.charts import chart
from pages.frame.language import N_, _, joined, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import head_jobs
from viz.charts.curves import Chart, Mark, Quantity, curves
from viz.component.standalone import Drawn

START = "prune_start"
"""Key of the button."""
TOLERANCE = 0.01
"""Share of the sentences that may be lost."""
TITLE = N_("Correct sentences as the least useful head is removed, again and again")
"""Of the picture."""
SERIES = N_("least useful head each time")
"""What the curve is called."""


def draw(opened: Opened) -> Shown:
    """Draw how quality falls as heads are removed one by one; offer to measure it."""
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
        label=n_("Prune ({n} pass)", "Prune ({n} passes)", n_passes),
        enough=bool(found),
    )
    pictures: list[Drawn] = []
    if found:
        pictures.append(chart(_picture(found)))
        st.caption(joined([_last_to_go(found), _measured(opened, found)]))
    text = view_text("heads", "silence")
    return Shown(
        name="prune",
        title=_(TITLE),
        question=_("How many heads can the model do without?"),
        recipe=recipe,
        seen=seen(found, cached.effects(opened.path)),
        code=(greedy_pruning, heads_needed),
        pictures=pictures,
        how_to_read=text.sections["How to read pruning"],
        formula=text.sections["Formula of pruning"].strip("$\n"),
    )


def seen(points: Sequence[PruningPoint], effects: HeadEffects | None = None) -> str:
    """Say in Markdown how many heads can go together, and how many can go alone.

    Args:
        points: The curve; empty where it was not measured.
        effects: What silencing each head alone costs, where that was measured.
    """
    if not points:
        return _("Nothing is measured yet: press “{button}”.").format(button=_("Prune"))
    can_go = _can_go(points)
    if can_go is None:
        text = _("All heads together get **{all}** right: there is too little to lose.")
        return text.format(all=percent(points[0].exact_match))
    together = n_(
        "**{gone} of {of} head can be removed together** with almost no loss: {share} of {n} "
        "sentences are correct without them, {all} with all heads, {half} without half of them.",
        "**{gone} of {of} heads can be removed together** with almost no loss: {share} of {n} "
        "sentences are correct without them, {all} with all heads, {half} without half of them.",
        points[0].n_left,
        number(points[0].n),
    )
    if not can_go:
        together = _(
            "**No head can be removed**: {next} of {n} sentences are correct without the least "
            "useful one, {all} with all heads, {half} without half of them."
        )
    said = together.format(
        gone=number(can_go),
        of=number(points[0].n_left),
        share=percent(points[can_go].exact_match),
        next=percent(points[1].exact_match),
        half=percent(points[_half(points)].exact_match),
        all=percent(points[0].exact_match),
        n=number(points[0].n),
    )
    return joined([said, *_alone(can_go, effects)])


def _alone(can_go: int, effects: HeadEffects | None) -> Iterator[str]:
    """Say how many heads can go one at a time, where these are more than can go together."""
    n_alone = sum(not any(each.lost.values()) for each in effects.heads) if effects else 0
    if 0 < can_go < n_alone:
        text = _(
            "Any of {n} can be removed **alone** without a measurable loss: the other heads fill "
            "in for it, but not for all of them at once."
        )
        yield text.format(n=number(n_alone))


def _can_go(points: Sequence[PruningPoint]) -> int | None:
    """Return how many heads can go together; None where there is nothing to lose."""
    n_needed = heads_needed(points, TOLERANCE)
    return None if n_needed is None else points[0].n_left - n_needed


def _half(points: Sequence[PruningPoint]) -> int:
    return points[0].n_left // 2


def _last_to_go(points: Sequence[PruningPoint]) -> str:
    """Say which head stays longest."""
    last = points[-1].removed
    assert last is not None
    return _("Removed last: {head}.").format(head=notes.within_sentence(last))


def _measured(opened: Opened, points: Sequence[PruningPoint]) -> str:
    text = _("Measured on {sentences}; the next head is chosen on the same ones.")
    return text.format(sentences=measured_on.drawn(opened.run, points[0].n, SEED))


def _picture(points: Sequence[PruningPoint]) -> Chart:
    """Draw the curve, and mark the two points that the sentence speaks of."""
    can_go = _can_go(points)
    marked = [] if can_go is None else sorted({max(can_go, 1), _half(points)})
    text = _("{share} without {n}")
    return curves(
        {_(SERIES): [each.exact_match for each in points]},
        x=Quantity(_("heads removed")),
        y=Quantity(_("correct sentences"), share=True),
        title=_(TITLE),
        rules=[
            Mark(at, share, text.format(share=percent(share), n=number(at)))
            for at in marked
            for share in [points[at].exact_match]
        ],
    )
