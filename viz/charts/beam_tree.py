"""The tree that a beam search grows: what was kept, and what was dropped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from .. import theme
from ..component.payload import complete
from ..messages import N_

ROW = 36
"""Pixels between two prefixes of a step."""
LONGEST_WORD = 64
"""Longer words are cut, in pixels."""
COLUMN = 62
"""Pixels between two steps that most words have room in."""
PICKED = "picked"
"""What a click selects: the number of a node, under `node`."""

DEFAULT_TREE_TEXTS: Mapping[str, str] = {
    "title": N_("What the search kept and dropped"),
    "step": N_("step"),
    "best": N_("best of the beam"),
    "greedy": N_("greedy decoding"),
    "kept": N_("kept"),
    "dropped": N_("dropped"),
    "prefix": N_("so far"),
    "score": N_("score"),
    "log_probability": N_("log-probability"),
}
"""Every word of the chart. A page may hand over its own."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One prefix, shown by its last token."""

    label: str
    """Its last token."""
    text: str
    """The whole of it, for the pointer."""
    score: float
    """What it was compared by."""
    log_probability: float
    """Sum over its tokens, in nats."""
    step: int
    """At which it was found."""
    kept: bool
    """Whether it was among the best of that step."""
    finished: bool
    """Whether it ends the target."""
    parent: int | None
    """Number of the prefix that it continues; None at the root."""
    greedy: bool = False
    """Whether greedy decoding goes through it."""


def beam_tree(nodes: Sequence[TreeNode], texts: Mapping[str, str] | None = None) -> alt.LayerChart:
    """Return the tree from left to right, the best prefix of each step on top.

    The path to the best finished prefix, or else to the best of the last step, is marked.

    Args:
        nodes: Each after the one that it continues.
        texts: Replacements for some of DEFAULT_TREE_TEXTS.

    Raises:
        ValueError: A text is not known.
    """
    named = complete(texts or {}, DEFAULT_TREE_TEXTS)
    rows = _rows(nodes)
    for row in rows:
        row["fate_name"] = named[str(row["fate"])]
    base = alt.Chart(pd.DataFrame(rows, columns=[*_COLUMNS]))
    steps = sorted({node.step for node in nodes})
    depth = max((int(str(row["row"])) for row in rows), default=0)
    # People count the steps of a decoding from 1.
    axis = alt.Axis(values=steps, labelExpr="datum.value + 1", grid=False)
    across = alt.Scale(nice=False, padding=14)
    # The best stands on top; half a row of room for the words above it.
    down = alt.Scale(domain=[-0.6, depth + 0.4], reverse=True, nice=False)
    place = {
        "x": alt.X("step:Q", title=named["step"], axis=axis, scale=across),
        "y": alt.Y("row:Q", axis=None, scale=down),
        "color": _shades(named),
    }
    edges = base.mark_rule().encode(
        **place,
        x2=alt.X2("from_step:Q"),
        y2=alt.Y2("from_row:Q"),
        strokeWidth=alt.StrokeWidth("stroke:Q", scale=None),
        opacity=alt.Opacity("edge_opacity:Q", scale=None),
    )
    # Words have room whatever the width of the chart.
    limit = alt.ExprRef(f"min({LONGEST_WORD}, width / {len(steps) + 1} - 3)")
    # Black, the default of text, cannot be read on a dark page.
    words = base.mark_text(dy=-11, cursor="pointer", limit=limit).encode(
        **place,
        text=alt.Text("label:N"),
        size=alt.Size("font_size:Q", scale=None),
        opacity=alt.Opacity("word_opacity:Q", scale=None),
    )
    shapes = alt.Scale(domain=[False, True], range=["circle", "square"])
    points = base.mark_point(filled=True, opacity=1.0, cursor="pointer").encode(
        **place,
        shape=alt.Shape("finished:N", scale=shapes, legend=None),
        size=alt.Size("area:Q", scale=None),
        tooltip=[
            alt.Tooltip("text:N", title=named["prefix"]),
            alt.Tooltip("fate_name:N", title=" "),
            alt.Tooltip("score:Q", title=named["score"], format=".3f"),
            alt.Tooltip("log_probability:Q", title=named["log_probability"], format=".3f"),
        ],
    )
    picked = alt.selection_point(name=PICKED, fields=["node"])
    return alt.LayerChart(
        layer=[edges, words, points.add_params(picked)],
        height=90 + ROW * (depth + 1),
        title=named["title"],
    )


def narrowest(nodes: Sequence[TreeNode]) -> int:
    """Return how many pixels wide a tree is to be so that its words are read."""
    return COLUMN * (2 + max((node.step for node in nodes), default=0))


_LOOKS = {
    "best": {"stroke": 4.0, "edge_opacity": 1.0, "font_size": 14, "word_opacity": 1.0},
    "greedy": {"stroke": 4.0, "edge_opacity": 1.0, "font_size": 14, "word_opacity": 1.0},
    "kept": {"stroke": 1.5, "edge_opacity": 0.45, "font_size": 13, "word_opacity": 1.0},
    "dropped": {"stroke": 1.5, "edge_opacity": 0.12, "font_size": 11, "word_opacity": 0.75},
}
_COLUMNS = (
    *("node", "step", "row", "from_step", "from_row", "label", "text", "fate", "fate_name"),
    *("finished", "score", "log_probability", "area", *_LOOKS["best"]),
)


def _rows(nodes: Sequence[TreeNode]) -> list[dict[str, object]]:
    best, positions = _way_to_the_best(nodes), _positions(nodes)
    rows: list[dict[str, object]] = []
    for number, (node, (step, row)) in enumerate(zip(nodes, positions, strict=True)):
        from_step, from_row = (-1, 0) if node.parent is None else positions[node.parent]
        way = "greedy" if node.greedy else "kept" if node.kept else "dropped"
        fate = "best" if number in best else way
        rows.append(
            {
                **{"node": number, "step": step, "row": row, "fate": fate},
                **{"from_step": from_step, "from_row": from_row},
                **{"label": node.label, "text": node.text, "finished": node.finished},
                **{"score": node.score, "log_probability": node.log_probability},
                **{"area": 110 if node.kept else 40, **_LOOKS[fate]},
            }
        )
    return rows


def _way_to_the_best(nodes: Sequence[TreeNode]) -> set[int]:
    """Return the numbers of the best finished node that was kept and of all that it continues.

    Where none is finished, it is the best of the last step.
    """
    last = max((node.step for node in nodes), default=0)
    ends = [i for i, node in enumerate(nodes) if node.finished and node.kept] or [
        i for i, node in enumerate(nodes) if node.step == last
    ]
    at = max(ends, key=lambda i: nodes[i].score, default=None)
    way: set[int] = set()
    while at is not None:
        way.add(at)
        at = nodes[at].parent
    return way


def _positions(nodes: Sequence[TreeNode]) -> list[tuple[int, int]]:
    """Return column and row of each node: its step, and its rank in that step."""
    ranks: dict[int, int] = {}
    order = sorted(range(len(nodes)), key=lambda i: (nodes[i].step, -nodes[i].score))
    positions = [(0, 0)] * len(nodes)
    for index in order:
        step = nodes[index].step
        positions[index] = (step, ranks.get(step, 0))
        ranks[step] = ranks.get(step, 0) + 1
    return positions


def _shades(named: Mapping[str, str]) -> alt.Color:
    shades = {
        "best": theme.TARGET,
        "greedy": theme.HEADS[2],
        "kept": theme.HEADS[0],
        "dropped": theme.QUIET,
    }
    return alt.Color(
        "fate_name:N",
        title=None,
        scale=alt.Scale(
            domain=[named[fate] for fate in shades],
            range=[theme.colour(rgb) for rgb in shades.values()],
        ),
        legend=alt.Legend(orient="top", labelLimit=0),
    )
