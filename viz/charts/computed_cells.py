"""How often each cell of an attention map is computed."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from viz import theme

SIDE = 220
LABEL = 14
"""Size of a picture's name, in pixels."""

# Below: on a phone there is no room beside a picture.
_LEGEND = alt.Legend(orient="bottom", gradientLength=SIDE)


def computed_cells(
    pictures: Mapping[str, Sequence[Sequence[int]]], *, x: str, y: str, count: str, title: str = ""
) -> alt.ConcatChart:
    """Return one triangle for each way of computing; darker cells are computed more often.

    Args:
        pictures: Name, of one line or several → counts by query and key; 0 where nothing is
            computed. The cells of a row are computed equally often: the number stands at its end.
        x: What the columns are.
        y: What the rows are.
        count: What the number of a cell is.
        title: A sentence.
    """
    cells = [
        (name, query, key, n)
        for name, counts in pictures.items()
        for query, row in enumerate(counts)
        for key, n in enumerate(row)
        if n
    ]
    frame = pd.DataFrame(cells, columns=["way", "query", "key", "count"])
    n_rows = max(map(len, pictures.values()), default=1)
    most = max((n for *_, n in cells), default=1)
    stops = [theme.colour(rgb) for rgb in theme.SEQUENTIAL]
    # Once is the same colour in every picture, however long the sentence.
    scale = alt.Scale(domain=[most * i / (len(stops) - 1) for i in range(len(stops))], range=stops)
    axis = alt.Axis(labels=False, ticks=False)
    base = alt.Chart().encode(
        x=alt.X("key:O", title=x, axis=axis), y=alt.Y("query:O", title=y, axis=axis)
    )
    squares = base.mark_rect().encode(
        color=alt.Color("count:Q", title=count, scale=scale, legend=_LEGEND),
        tooltip=[
            alt.Tooltip("query:O", title=y),
            alt.Tooltip("key:O", title=x),
            alt.Tooltip("count:Q", title=count),
        ],
    )
    numbers = (
        base.mark_text(align="left", dx=SIDE / n_rows / 2 + 3, fontSize=min(11, SIDE / n_rows))
        .encode(text="count:Q")
        .transform_filter(alt.datum.key == alt.datum.query)
    )
    charts = [
        alt.layer(squares, numbers, data=frame[frame["way"] == name]).properties(
            width=SIDE, height=SIDE, title=_name(name)
        )
        for name in pictures
    ]
    return alt.ConcatChart(concat=charts, columns=len(charts), title=title)


def _name(name: str) -> alt.TitleParams:
    return alt.TitleParams(
        name.split("\n"), anchor="middle", fontSize=LABEL, fontWeight="normal", limit=0
    )
