"""The whole pass as a mark of a few pixels, in which the part that a view looks into stands out."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Literal

from ..theme import HEADS, QUIET, colour

Part = Literal["attention", "words", "layers", "norms", "output", "all"]
"""Attention sublayers, the embeddings below, all sublayers, what stands between them, what comes
out on top, or everything."""

_HEIGHT, _COLUMN, _GAP, _EDGE = 34, 24, 10, 4  # pixels
_MOST = 24
"""Sublayers of a stack that are drawn."""


def thumbnail(stacks: Sequence[Sequence[tuple[bool, bool]]], part: Part) -> str:
    """Return the mark as a `data:` address of an SVG, for a light and for a dark page.

    Args:
        stacks: The sublayers of each from the bottom to the top: whether it is an attention, and
            whether it is one that stands out with attention. The last stack writes.
        part: What stands out.
    """
    shapes: list[str] = []
    for at, sublayers in enumerate(stacks):
        x = at * (_COLUMN + _GAP)
        rows = sublayers[:_MOST]
        high = (_HEIGHT - 2 * _EDGE) / max(1, len(rows))
        shapes.append(_box(x, _HEIGHT - 2, 2, lit=part in ("words", "all")))
        for row, (attends, chosen) in enumerate(rows):
            lit = part in ("layers", "all") or (part == "attention" and attends and chosen)
            y = _HEIGHT - _EDGE - (row + 1) * high
            shapes.append(_box(x, y + 1, max(0.5, high - 1), lit=lit))
            shapes.append(_box(x, y, 1, lit=part in ("norms", "all")))
        if at == len(stacks) - 1:
            shapes.append(_box(x, 0, 2, lit=part in ("output", "all")))
    width = len(stacks) * (_COLUMN + _GAP) - _GAP
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}">'
        f"{''.join(shapes)}</svg>"
    )
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def _box(x: float, y: float, height: float, *, lit: bool) -> str:
    return (
        f'<rect x="{x}" y="{y:.2f}" width="{_COLUMN}" height="{height:.2f}" '
        f'fill="{colour(HEADS[0] if lit else QUIET)}" fill-opacity="{1 if lit else 0.35}"/>'
    )
