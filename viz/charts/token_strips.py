"""Rows of attention as strips: the tokens of a sentence, each with its weight as a colour below."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import theme
from ..component.payload import TokenLabel

_COLOURS = theme.scale_table()
_EQUAL_CONTRAST = 0.1791
"""So light is what black and white have the same contrast with."""

_STYLE = f"""<style>
.token-strips {{ display: grid; gap: 10px; font-size: 13px; line-height: 1.3; }}
.token-strips .strip {{ display: flex; align-items: flex-start; gap: 10px; }}
.token-strips .looks {{ flex: 0 0 auto; min-width: 4.5em; font-weight: 600; }}
.token-strips .keys {{ display: flex; flex-wrap: wrap; gap: 4px 2px; min-width: 0; }}
.token-strips .key {{ display: grid; min-width: 26px; text-align: center; }}
.token-strips .key + .continues {{ margin-left: -2px; }}
.token-strips .word {{ padding: 0 3px; font-family: monospace; white-space: pre; }}
.token-strips .special .word {{ opacity: 0.75; }}
.token-strips .most .word {{ font-weight: 700; }}
.token-strips .itself .word {{ outline: 1px solid {theme.colour(theme.QUIET)}; }}
.token-strips .cell {{ height: 15px; font-size: 11px; line-height: 15px; font-weight: 600; }}
.token-strips .hidden {{ background: none; border-bottom: 1px dotted; opacity: 0.4; }}
</style>"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TokenStrip:
    """One row of a head.

    Attributes:
        looks: Who looks, before the strip.
        description: The same with what it looks at, for those who do not see the colours.
        keys: The tokens that can be looked at.
        weights_K: 0 to 1.
        visible_K: True where the row may look.
        most: The key with the largest weight; None where all have the same.
        written: That weight as people read it.
        query: Place of the row's own token among the keys; None where it is not among them.
    """

    looks: str
    description: str
    keys: Sequence[TokenLabel]
    weights_K: NDArray[np.float32]
    visible_K: NDArray[np.bool_]
    most: int | None
    written: str
    query: int | None = None


def token_strips(strips: Sequence[TokenStrip]) -> str:
    """Return HTML with the strips below each other."""
    return f'{_STYLE}<div class="token-strips">{"".join(map(_strip, strips))}</div>'


def _strip(strip: TokenStrip) -> str:
    keys = "".join(_key(strip, place) for place in range(len(strip.keys)))
    return (
        f'<div class="strip" role="img" aria-label="{html.escape(strip.description)}">'
        f'<span class="looks" dir="auto">{html.escape(strip.looks)}</span>'
        f'<span class="keys">{keys}</span></div>'
    )


def _key(strip: TokenStrip, place: int) -> str:
    label, most = strip.keys[place], place == strip.most
    kinds = {
        "special": label.special,
        "continues": label.continues,
        "most": most,
        "itself": place == strip.query,
    }
    named = " ".join(["key", *(name for name, holds in kinds.items() if holds)])
    cell = f'<span class="cell" style="{_painted(strip.weights_K[place])}">'
    if not strip.visible_K[place]:
        cell = '<span class="cell hidden">'
    written = html.escape(strip.written) if most else ""
    return (
        f'<span class="{named}"><span dir="auto" class="word">{html.escape(label.text)}</span>'
        f"{cell}{written}</span></span>"
    )


def _painted(weight: np.float32) -> str:
    """Return the colour that a weight has in every picture, and one that can be read on it."""
    red, green, blue = (int(part) for part in _COLOURS[round(255 * min(float(weight), 1.0))])
    ink = (0, 0, 0) if _luminance((red, green, blue)) > _EQUAL_CONTRAST else (255, 255, 255)
    return f"background: {theme.colour((red, green, blue))}; color: {theme.colour(ink)}"


def _luminance(rgb: theme.Rgb) -> float:
    """Return how light a colour is, 0 to 1, as WCAG 2 has it."""
    shares = np.array(rgb, np.float64) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))
