"""Sentence pairs as rows of chips: source on the left, target on the right."""

from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from core.tokenizer import Token
from viz import theme

Chips = Sequence[tuple[str, bool]]
"""What stands on a chip, and whether it goes on where the one before it ends."""

_STYLE = f"""
<style>
.lab-pairs {{ display: grid; grid-template-columns: 1fr 1fr; gap: 2px 20px; }}
.lab-pairs span {{
  display: inline-block; min-width: 1.2em; margin: 0 4px 4px 0; padding: 0 6px;
  border-radius: 4px; font: 13px/22px var(--st-code-font, monospace);
  text-align: center; white-space: pre;
}}
.lab-pairs span.joined {{ margin-left: -3px; }}
.lab-pairs .source span {{ background: {theme.colour(theme.SOURCE, 0.19)}; }}
.lab-pairs .target span {{ background: {theme.colour(theme.TARGET, 0.19)}; }}
</style>
"""


def words(text: str) -> Chips:
    """Return one chip for each word."""
    return [(word, False) for word in text.split()]


def pieces(tokens: Sequence[Token], most: int) -> Chips:
    """Return one chip for each token, those of one word close to each other.

    Args:
        tokens: As `Tokenizer.describe` gives them.
        most: So many are shown; what is left out stands as an ellipsis.
    """
    before = [None, *(token.word for token in tokens)]
    chips = [(token.text, token.word == word) for token, word in zip(tokens, before, strict=False)]
    return chips[:most] + [("…", False)] * (len(chips) > most)


def pairs(shown: Iterable[tuple[Chips, Chips]]) -> None:
    """Show source and target of pairs beside each other."""
    cells = "".join(
        f'<div class="source">{_row(source)}</div><div class="target">{_row(target)}</div>'
        for source, target in shown
    )
    st.html(f'{_STYLE}<div class="lab-pairs">{cells}</div>')


def _row(chips: Chips) -> str:
    return "".join(
        f'<span class="joined">{escape(text)}</span>' if joined else f"<span>{escape(text)}</span>"
        for text, joined in chips
    )
