"""How one training goes: its loss, how good its model is, how fast it learns."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from ..component.payload import complete
from .curves import HEIGHT, LEGEND, Quantity, Rule, fitting, of_series, rule_lines
from .measurements import SCORES, SHARES, TEXTS, Rows, points, upwards

_SMALL_LEGEND = alt.Legend(
    orient="top",
    columns=2,
    labelLimit=0,
    labelFontSize=11,
    columnPadding=8,
    rowPadding=0,
    padding=0,
    offset=4,
    symbolType="stroke",
    symbolStrokeWidth=3,
)


def loss_curves(
    rows: Rows,
    *,
    log_x: bool = False,
    end: float | None = None,
    height: int = HEIGHT,
    rules: Sequence[Rule] = (),
    texts: Mapping[str, str] = TEXTS,
) -> alt.LayerChart:
    """Return the loss in training and, with dots, on held-out pairs.

    Args:
        rows: Measurements.
        log_x: Whether the axis of the steps is logarithmic.
        end: How far it goes, as the planned number of steps; None for the last step.
        height: Of the whole chart, in pixels.
        rules: Steps to mark.
        texts: Replacements for some of TEXTS.
    """
    texts = complete(texts, TEXTS)
    series = {key: points(rows, key, log_x=log_x) for key in ("loss", "held_out_loss")}
    x, y = _along(texts, end, log=log_x), upwards("either_loss", texts)
    named = {texts[key]: line for key, line in series.items()}
    frame = table(named, dotted=[texts["held_out_loss"]])
    layers = [*lines(frame, list(named), x, y), *rule_lines(rules)]
    return alt.LayerChart(layer=layers, height=height, title=y.name)


def quality_curves(
    rows: Rows,
    *,
    end: float | None = None,
    height: int = HEIGHT,
    texts: Mapping[str, str] = TEXTS,
) -> alt.LayerChart:
    """Return how good the model is on held-out pairs: shares, and scores where there are any.

    BLEU and chrF stand on the same axis, 100 points at 100 %. Arguments as in `loss_curves`.
    """
    texts = complete(texts, TEXTS)
    series = {key: points(rows, key) for key in (*SHARES, *SCORES)}
    named = {texts[key]: line for key, line in series.items() if line or key in SHARES}
    frame = table(named, dotted=list(named))
    scores = frame["series"].isin([texts[key] for key in SCORES])
    frame["value"] = frame["y"]
    frame["y"] = frame["y"].where(~scores, frame["y"] / 100)
    frame["is_score"] = scores
    x, y = _along(texts, end), Quantity(texts["quality"], share=True)
    layers = lines(frame, list(named), x, y)
    return alt.LayerChart(layer=layers, height=height, title=y.name)


def _along(texts: Mapping[str, str], end: float | None, *, log: bool = False) -> Quantity:
    """Return the axis of the steps."""
    return Quantity(texts["step"], log=log, domain=None if end is None else (0.0, end))


_WRITTEN = "datum.is_score ? format(datum.value, '.4~g') : format(100 * datum.value, '.4~g') + ' %'"
"""Put together in the chart, which knows how the reader's language writes numbers."""


def table(
    series: Mapping[str, Sequence[Mapping[str, float]]], dotted: Sequence[str] = ()
) -> pd.DataFrame:
    """Return one row for each point of each series: x, y, series, dot.

    Args:
        series: Name → points, as `points` returns them.
        dotted: Names of the series whose points are seen.
    """
    rows = [
        # A line of one point would not be seen.
        {**point, "series": name, "dot": name in dotted or len(line) == 1}
        for name, line in series.items()
        for point in line
    ]
    return pd.DataFrame(rows, columns=["x", "y", "series", "dot"])


def lines(
    frame: pd.DataFrame,
    names: Sequence[str],
    x: Quantity,
    y: Quantity,
    *,
    near: str = "near",
) -> list[alt.Chart]:
    """Return the layers of lines whose nearest point shows what it is when the pointer is near.

    Args:
        frame: As `table` returns it; a column "is_score", where there is one, tells scores from
            shares in a column "value", which has them as they were measured.
        names: All series in the order of their colours, also those without a point.
        x: The axis along which it is measured.
        y: What the values are.
        near: What charts that stand in one picture tell their pointers apart by.
    """
    base = alt.Chart(frame).encode(
        x=alt.X("x:Q", title=x.name, axis=x.axis, scale=fitting(x)),
        y=alt.Y("y:Q", title=y.name, axis=y.axis, scale=y.scale),
        color=of_series(names, _SMALL_LEGEND if len(names) > 2 else LEGEND),
    )
    # Named, so that the chart of the next second is the same chart with more points.
    pointer = alt.selection_point(name=near, nearest=True, on="pointerover", empty=False)
    shown = alt.when(pointer).then(alt.value(1)).when(alt.datum.dot).then(alt.value(1))
    mixed = "is_score" in frame
    pointed = base.transform_calculate(written=_WRITTEN) if mixed else base
    dots = pointed.mark_point(filled=True, size=30, clip=True).encode(
        opacity=alt.OpacityValue(**shown.otherwise(alt.value(0))),
        tooltip=[
            *([alt.Tooltip("series:N", title=" ")] if len(names) > 1 else []),
            alt.Tooltip("x:Q", title=x.name, format=x.format),
            alt.Tooltip("written:N", title=y.name)
            if mixed
            else alt.Tooltip("y:Q", title=y.name, format=y.format),
        ],
    )
    return [base.mark_line(strokeWidth=1.8, clip=True), dots.add_params(pointer)]
