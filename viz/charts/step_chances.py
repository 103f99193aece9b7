"""How probable each word of a sentence is, before and after a change."""

import json
from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from viz import theme
from viz.charts.curves import FEW_NAMES
from viz.component.payload import check_texts
from viz.messages import N_

HEIGHT = 270
"""Title and legend included."""
WIDEST_LABEL = 110
"""In pixels; longer words are cut."""

DEFAULT_CHANCE_TEXTS: Mapping[str, str] = {
    "before": N_("as it is"),
    "after": N_("changed"),
    "word": N_("word"),
    "step": N_("step"),
    "probability": N_("probability"),
    "best": N_("most probable now"),
    "title": N_("Probability of the model’s own words"),
}
"""Every word of the chart. A page may hand over its own."""


def step_chances(
    words: Sequence[str],
    before: Sequence[float],
    after: Sequence[float],
    best: Sequence[str],
    lead: Sequence[float],
    texts: Mapping[str, str] | None = None,
) -> alt.LayerChart:
    """Return a column for each word: a ring before, a dot after, and a line between them.

    Where another word becomes the most probable, it stands at its own probability, with its name.

    Args:
        words: What is written, step by step; the same word may come twice.
        before: Its probability before the change, 0 to 1.
        after: Its probability after the change.
        best: What is the most probable after the change.
        lead: The probability of that.
        texts: Replacements for some of DEFAULT_CHANCE_TEXTS.

    Raises:
        ValueError: The numbers are not one for each word, or a text is not known.
    """
    lengths = {len(words), len(before), len(after), len(best), len(lead)}
    if len(lengths) > 1:
        raise ValueError(f"words and their numbers need the same length, got {sorted(lengths)}")
    check_texts(texts or {}, DEFAULT_CHANCE_TEXTS)
    said = {**DEFAULT_CHANCE_TEXTS, **(texts or {})}
    rows = [
        {
            **{"step": step, "word": word, "before": old, "after": new, "best": other},
            **{"instead": other if other != word else "", "lead": most},
        }
        for step, (word, old, new, other, most) in enumerate(
            zip(words, before, after, best, lead, strict=True)
        )
    ]
    base = alt.Chart()
    # Steps are numbers with labels, so that a word that comes twice stays two columns.
    labels = f"{json.dumps(list(words))}[datum.value]"
    axis = alt.Axis(labelExpr=labels, labelAngle=-40, labelLimit=WIDEST_LABEL, labelOverlap=False)
    x = alt.X("step:O", title=None, axis=axis)
    tooltip = [
        alt.Tooltip("step:Q", title=said["step"]),
        alt.Tooltip("word:N", title=said["word"]),
        alt.Tooltip("before:Q", title=said["before"], format=".4~%"),
        alt.Tooltip("after:Q", title=said["after"], format=".4~%"),
        alt.Tooltip("best:N", title=said["best"]),
    ]
    between = base.mark_rule(color=theme.colour(theme.QUIET), opacity=0.7).encode(
        x=x, y=_probability("before", said), y2=alt.Y2("after:Q")
    )
    dots = [
        base.transform_calculate(series=json.dumps(said[name]))
        .mark_point(filled=filled, size=size, strokeWidth=1.8, opacity=1.0)
        .encode(x=x, y=_probability(name, said), color=_series(said), tooltip=tooltip)
        for name, filled, size in (("before", False, 90), ("after", True, 45))
    ]
    leading = base.transform_filter("datum.instead != ''").encode(
        x=x,
        y=_probability("lead", said),
        color=alt.ColorValue(theme.colour(theme.HEADS[4])),
    )
    instead = [
        leading.mark_point(shape="diamond", filled=True, size=70, opacity=1.0),
        leading.mark_text(dy=-13, fontWeight="bold").encode(text=alt.Text("instead:N")),
    ]
    return alt.LayerChart(
        layer=[between, *dots, *instead],
        # Data that each layer had for itself would be compared, and the layers copied.
        data=pd.DataFrame(rows, columns=[*_COLUMNS]),
        height=HEIGHT,
        title=said["title"],
    )


_COLUMNS = ("step", "word", "before", "after", "best", "instead", "lead")


def _probability(name: str, said: Mapping[str, str]) -> alt.Y:
    axis = alt.Axis(format=".0%", tickCount=5)
    scale = alt.Scale(domain=[0, 1], padding=12)
    return alt.Y(f"{name}:Q", title=said["probability"], axis=axis, scale=scale)


def _series(said: Mapping[str, str]) -> alt.Color:
    return alt.Color(
        "series:N",
        title=None,
        scale=alt.Scale(
            domain=[said["before"], said["after"]],
            range=[theme.colour(theme.HEADS[0]), theme.colour(theme.HEADS[4])],
        ),
        legend=alt.Legend(orient="top", labelLimit=0, columns=FEW_NAMES),
    )
