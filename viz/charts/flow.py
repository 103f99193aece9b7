"""Boxes joined by arrows: who passes on what to whom, read from left to right."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from viz import theme

_STYLE = f"""<style>
.flow {{ display: flex; flex-wrap: wrap; align-items: stretch; gap: 6px; line-height: 1.3; }}
.flow .box {{ border: 1px solid {theme.colour(theme.QUIET, 0.5)}; border-radius: 8px;
  padding: 5px 10px; min-width: 0; }}
.flow .box.last {{ border-color: currentColor; }}
.flow .what {{ display: block; font-size: 13px; opacity: 0.8; }}
.flow .name {{ display: block; font-size: 15px; font-weight: 600; }}
.flow .arrow {{ align-self: center; font-size: 18px; opacity: 0.7; }}
</style>"""


@dataclass(frozen=True, slots=True)
class Box:
    """One box of a flow."""

    name: str
    """Who, or what comes out; large."""
    what: str
    """What it does; small, below."""


def flow(boxes: Sequence[Box], said: str) -> str:
    """Return HTML with the boxes in a row, an arrow from each to the next.

    Args:
        boxes: In the order of what is passed on; the last is what comes out.
        said: All of it in a sentence, for those who do not see it.
    """
    drawn = [
        f'<span class="box{" last" if box is boxes[-1] else ""}">'
        f'<span class="name">{html.escape(box.name)}</span>'
        f'<span class="what">{html.escape(box.what)}</span></span>'
        for box in boxes
    ]
    arrow = '<span class="arrow" aria-hidden="true">→</span>'
    return (
        f'{_STYLE}<div class="flow" role="img" aria-label="{html.escape(said)}">'
        f"{arrow.join(drawn)}</div>"
    )
