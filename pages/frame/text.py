"""Texts: translation of the app's own words, and explanations longer than a line."""

import gettext
import string
from pathlib import Path

from core.heads import Kind

LOCALES = Path(__file__).parent / "locales"

_ = gettext.translation("app", LOCALES, fallback=True).gettext

ATTENTIONS = {kind: _(kind.label) for kind in Kind}
"""Kind of attention → what it is called in a word or two."""


def percent(share: float) -> str:
    r"""Return a share as people read it, with a space at which no line breaks.

    It has one digit, and up to three where fewer would say that it is all or nothing: only what
    is exactly so is called 0 % or 100 %.

    >>> percent(0.9725), percent(1.0), percent(0.9995), percent(1e-9)
    ('97.2\xa0%', '100\xa0%', '99.95\xa0%', '<\xa00.001\xa0%')
    """
    value = 100 * share
    for digits in (1, 2, 3):
        text = f"{value:.{digits}f}"
        if value in (0, 100) or float(text) not in (0, 100):
            return text.removesuffix(".0") + "\u00a0%"
    return "<\u00a00.001\u00a0%" if value < 1 else ">\u00a099.999\u00a0%"


def duration(seconds: float) -> str:
    r"""Return a time as people say it: two units at most, the smaller one rounded.

    >>> [duration(each).replace("\u00a0", " ") for each in (0.4, 48.2, 172, 3599.7, 90_000)]
    ['1 s', '48 s', '2 min 50 s', '1 h', '1 d 1 h']
    """
    units = ((86_400, _("d")), (3600, _("h")), (60, _("min")), (1, _("s")))
    # Estimates are not exact to the second.
    rounded = max(1, round(seconds)) if seconds < 60 else 10 * round(seconds / 10)
    at = next(index for index, (length, _name) in enumerate(units) if rounded >= length)
    if at < 2:
        smaller = units[at + 1][0]
        rounded = smaller * round(rounded / smaller)
        at = next(index for index, (length, _name) in enumerate(units) if rounded >= length)
    parts = []
    for length, name in units[at : at + 2]:
        count, rounded = divmod(rounded, length)
        parts += [f"{count}\u00a0{name}"] * (count > 0)
    return " ".join(parts)


def plain(text: str) -> str:
    """Return Markdown that shows a text as it is, whatever signs are in it."""
    return "".join(f"&#{ord(sign)};" if sign in string.punctuation else sign for sign in text)


HOW_TO_READ = _(
    """
- Each **row** is a token that looks (a *query*), each **column** a token that is looked at (a
  *key*). A row's weights sum to 1. Rest the pointer on a cell, or move with the arrow keys, to
  read its weight.
- In **encoder self-attention** every source token may look at every source token. In **decoder
  self-attention** a token may look at itself and at what was written before it: the hatched
  cells are hidden by the look-ahead mask. In **cross-attention** rows are target tokens and
  columns source tokens.
- A decoder row says *fed → predicted*: the token that went in, and the token that came out there.
- The colours go from 0 to 1 for every head, so that the same weight always looks the same.
- A map is a hypothesis about what a head does. Silencing the head is the test: what that costs
  on held-out sentences is said under the maps where it was measured.
- Dotted tokens belong to words that training never saw.
"""
)

FORMULA = r"""
\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) V,
\qquad M_{ij} = \begin{cases} 0 & \text{if } i \text{ may look at } j \\ -\infty & \text{else}
\end{cases}
"""

DECODING = _(
    """
- **Free running** (inference): the decoder gets BOS, says a word, and gets that word as its next
  input, until it says EOS. An early mistake is fed back, and everything after it is conditioned on
  it (exposure bias).
- **Teacher forcing** (training): the decoder gets the true target shifted right by one,
  BOS y₁ y₂ …. Row i may look at the tokens up to i only (the look-ahead mask), so that one pass
  computes what decoding would compute step by step.
- The **bars** are the model's distribution over the next token. Click another word on the free
  side, and decoding goes on from there.
- **Looks at**: the weights of one head in this step, over the source (cross-attention) and over
  what was fed so far (self-attention).
- **KL divergence**: how far the two distributions of a step are apart, 0 as long as both sides were
  fed the same.
"""
)
