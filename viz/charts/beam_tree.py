"""The tree that a beam search grows: what was kept, and what was dropped."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from viz import theme

ROW = 36
"""Pixels between two prefixes of a step."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One prefix, shown by its last token.

    Attributes:
        label: Its last token.
        text: The whole of it, for the pointer.
        score: What it was compared by.
        log_probability: Sum over its tokens, in nats.
        step: At which step it was found.
        kept: Whether it was among the best of that step.
        finished: Whether it ends the target.
        parent: Index of the prefix that it continues; None at the root.
    """

    label: str
    text: str
    score: float
    log_probability: float
    step: int
    kept: bool
    finished: bool
    parent: int | None


def beam_tree(nodes: Sequence[TreeNode], *, x: str, kept: str, dropped: str) -> go.Figure:
    """Return the tree from left to right, the best prefix of each step on top.

    A point's `customdata` is its node's index.

    Args:
        nodes: Each after the one that it continues.
        x: What the steps are called.
        kept: Name of the kept ones in the legend.
        dropped: Name of the dropped ones.
    """
    places = _places(nodes)
    figure = go.Figure()
    figure.add_trace(_edges(nodes, places))
    for is_kept, name in ((True, kept), (False, dropped)):
        indices = [index for index, node in enumerate(nodes) if node.kept == is_kept]
        figure.add_trace(_points(nodes, places, indices, name, is_kept))
    rows = 1 + max((-y for _, y in places), default=0)
    figure.update_layout(
        template=None,
        height=int(90 + ROW * rows),
        margin={"l": 8, "r": 24, "t": 8, "b": 40},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        xaxis={
            "title": x,
            "tickvals": sorted({step for step, _ in places}),
            "zeroline": False,
            "showgrid": False,
        },
        yaxis={"visible": False},
        paper_bgcolor=theme.TRANSPARENT,
        plot_bgcolor=theme.TRANSPARENT,
    )
    return figure


def _places(nodes: Sequence[TreeNode]) -> list[tuple[int, int]]:
    """Return x and y of each node: its step, and its rank in that step counted downwards."""
    ranks: dict[int, int] = {}
    order = sorted(range(len(nodes)), key=lambda i: (nodes[i].step, -nodes[i].score))
    places = [(0, 0)] * len(nodes)
    for index in order:
        step = nodes[index].step
        places[index] = (step, -ranks.get(step, 0))
        ranks[step] = ranks.get(step, 0) + 1
    return places


def _edges(nodes: Sequence[TreeNode], places: Sequence[tuple[int, int]]) -> go.Scatter:
    xs: list[float | None] = []
    ys: list[float | None] = []
    for node, (x, y) in zip(nodes, places, strict=True):
        parent_x, parent_y = (-1, 0) if node.parent is None else places[node.parent]
        # None lifts the pen.
        xs += [parent_x, x, None]
        ys += [parent_y, y, None]
    line = {"color": theme.colour(theme.QUIET, 0.5), "width": 1}
    return go.Scatter(x=xs, y=ys, mode="lines", line=line, hoverinfo="skip", showlegend=False)


def _points(
    nodes: Sequence[TreeNode],
    places: Sequence[tuple[int, int]],
    indices: Sequence[int],
    name: str,
    is_kept: bool,
) -> go.Scatter:
    rgb = theme.TARGET if is_kept else theme.QUIET
    return go.Scatter(
        x=[places[i][0] for i in indices],
        y=[places[i][1] for i in indices],
        mode="markers+text",
        name=name,
        # Plotly reads markup in labels.
        text=[html.escape(nodes[i].label) for i in indices],
        textposition="top center",
        customdata=list(indices),
        hovertext=[
            f"{html.escape(nodes[i].text)}<br>score {nodes[i].score:.3f}, "
            f"log-probability {nodes[i].log_probability:.3f}"
            for i in indices
        ],
        hoverinfo="text",
        marker={
            "size": 10 if is_kept else 7,
            "color": theme.colour(rgb),
            "symbol": ["square" if nodes[i].finished else "circle" for i in indices],
        },
        # A click selects a node, and must not make the others fade.
        unselected={"marker": {"opacity": 1}},
    )
