"""Where the parameters are: in the loaded model and in published ones."""

import streamlit as st

from core.describe import Description, describe
from core.studies.lessons.counts import Counts, published_counts
from core.studies.opening.survey import NOT_COUNTED
from pages.frame.charts import chart
from pages.frame.language import _, joined, labelled, plain, short
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons.architecture import most, parameters
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity


def draw(opened: Opened) -> Shown:
    """Draw where the parameters of this model and of published ones are, as shares."""
    recipe = Recipe(published_counts, opened.path)
    found = recipe.result()
    picture = chart(_chart(found))
    if opened.run.settings.is_opened:
        st.caption(_("Not counted: {what}.").format(what=_(NOT_COUNTED)))
    return Shown(
        name="counts",
        title=_("Parameters by kind of part, in this model and in published ones"),
        recipe=recipe,
        seen=_seen(found),
        code=(describe, Description.by_group),
        pictures=[picture],
        formula=_count_formulas(describe(opened.run.settings.model, 1, 1)),
    )


def _seen(found: Counts) -> str:
    """Say where most parameters are, and how large this model is beside the first published one."""
    own, other = found.totals[:2]
    part, share = most(found.groups[0])
    where = _("This model has **{parameters}**. The largest part, {share}, is **{part}**.").format(
        parameters=parameters(own), part=part, share=share
    )
    beside = _("{model} has {parameters}.").format(
        model=plain(_(found.models[1])), parameters=parameters(other)
    )
    return joined([where, beside])


def _chart(found: Counts) -> Chart:
    series = {
        _(group): [count / total for count, total in zip(counts, found.totals, strict=True)]
        for group, counts in found.columns.items()
    }
    names = [found.models[0], *(_(each) for each in found.models[1:])]
    millions = _("{model} · {n} M")
    return bars(
        series,
        [
            millions.format(model=name, n=short(total / 1e6))
            for name, total in zip(names, found.totals, strict=True)
        ],
        value=Quantity(_("share of the parameters"), share=True),
        title=_("Parameters by kind of part (M: million)"),
        drawn="stacked",
    )


def _count_formulas(described: Description) -> str:
    """Return how many numbers a part of each group learns, in LaTeX."""
    found = {part.group: part.count for part in described.parts if part.count}
    counts = (rf"\text{{{labelled(_(group), '')}}} {count}" for group, count in found.items())
    return r", \qquad ".join(counts)
