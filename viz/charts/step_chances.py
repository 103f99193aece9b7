"""How probable each word of a sentence is, before and after a change."""

import json
from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from viz.charts.curves import COLOURS, QUIET, row_names
from viz.charts.expressions import text_of
from viz.component.payload import complete
from viz.messages import N_

HEIGHT = 270
"""Title and legend included."""
_COLUMNS_OF_LEGEND = alt.ExprRef("width < 220 ? 1 : 0")
WIDEST_LABEL = 110
"""In pixels; longer words are cut."""

DEFAULT_CHANCE_TEXTS: Mapping[str, str] = {
    "before": N_("before"),
    "after": N_("after"),
    "word": N_("word"),
    "step": N_("step"),
    "probability": N_("probability"),
    "best": N_("most probable after"),
    "leads": N_("word that now leads"),
    "title": N_("Probability of each word of the original output"),
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
        ValueError: A text is not known.
    """
    texts = complete(texts or {}, DEFAULT_CHANCE_TEXTS)
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
    axis = alt.Axis(
        labelExpr=row_names(words), labelAngle=-40, labelLimit=WIDEST_LABEL, labelOverlap=False
    )
    x = alt.X("step:O", title=None, axis=axis)
    tooltip = [
        alt.Tooltip("step:Q", title=texts["step"]),
        alt.Tooltip("word:N", title=texts["word"]),
        alt.Tooltip("before:Q", title=texts["before"], format=".4~%"),
        alt.Tooltip("after:Q", title=texts["after"], format=".4~%"),
        alt.Tooltip("best:N", title=texts["best"]),
    ]
    between = base.mark_rule(color=QUIET, opacity=0.7).encode(
        x=x, y=_probability("before", texts), y2=alt.Y2("after:Q")
    )
    dots = [
        base.transform_calculate(series=text_of(texts[name]))
        .mark_point(filled=filled, size=size, strokeWidth=1.8, opacity=1.0)
        .encode(x=x, y=_probability(name, texts), color=_series(texts), tooltip=tooltip)
        for name, filled, size in (("before", False, 90), ("after", True, 45))
    ]
    leading = base.transform_filter("datum.instead != ''").encode(
        x=x,
        y=_probability("lead", texts),
        color=alt.ColorValue(COLOURS[4]),
    )
    named = any(row["instead"] for row in rows)
    diamond = alt.Shape(
        "leads:N",
        scale=alt.Scale(domain=[texts["leads"]], range=["diamond"]),
        legend=alt.Legend(orient="top", title=None, labelLimit=0, symbolFillColor=COLOURS[4])
        if named
        else None,
    )
    instead = [
        leading.transform_calculate(leads=json.dumps(texts["leads"]))
        .mark_point(filled=True, size=70, opacity=1.0, aria=False)
        .encode(shape=diamond),
        leading.mark_text(dy=-13, fontWeight="bold").encode(text=alt.Text("instead:N")),
    ]
    return alt.LayerChart(
        layer=[between, *dots, *instead],
        # Data that each layer had for itself would be compared, and the layers copied.
        data=pd.DataFrame(rows, columns=[*_COLUMNS]),
        height=HEIGHT,
        title=texts["title"],
    )


_COLUMNS = ("step", "word", "before", "after", "best", "instead", "lead")


def _probability(name: str, texts: Mapping[str, str]) -> alt.Y:
    axis = alt.Axis(format=".0%", tickCount=5)
    scale = alt.Scale(domain=[0, 1], padding=12)
    return alt.Y(f"{name}:Q", title=texts["probability"], axis=axis, scale=scale)


def _series(texts: Mapping[str, str]) -> alt.Color:
    return alt.Color(
        "series:N",
        title=None,
        scale=alt.Scale(
            domain=[texts["before"], texts["after"]],
            range=[COLOURS[0], COLOURS[4]],
        ),
        legend=alt.Legend(orient="top", labelLimit=0, columns=_COLUMNS_OF_LEGEND),
    )
