"""Texts below each other as HTML: pairs of sentences as rows of chips, and rows of a table."""

from collections.abc import Container, Iterable, Sequence
from html import escape

import streamlit as st

from core.tokenizer.tokenizer import Token
from viz import theme

Chips = Sequence[tuple[str, bool]]
"""What stands on a chip, and whether it goes on where the one before it ends."""

_PAIRS = f"""
<style>
.lab-pairs {{ display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 2px 20px; }}
.lab-pairs span {{
  display: inline-block; min-width: 1.2em; margin: 0 4px 4px 0; padding: 0 6px;
  border-radius: 4px; font: 13px/22px var(--st-code-font, monospace);
  text-align: center; white-space: pre-wrap;
  max-width: 100%; overflow-wrap: anywhere;
}}
.lab-pairs span.joined {{ margin-left: -3px; }}
.lab-pairs .source span {{ background: {theme.colour(theme.SOURCE, 0.19)}; }}
.lab-pairs .target span {{ background: {theme.colour(theme.TARGET, 0.19)}; }}
</style>
"""
# Long texts end in an ellipsis; the whole text is read on hover. Colours are the page's own.
_TABLE = "width:100%;table-layout:fixed;border-collapse:collapse;font-size:0.875rem"
_CELL = (
    "padding:0.15rem 0.75rem 0.15rem 0;overflow:hidden;text-overflow:ellipsis;vertical-align:top;"
    "text-align:start;border:0;border-bottom:1px solid color-mix(in srgb, currentColor 15%, "
    "transparent)"
)
_HEAD = "font-weight:400;opacity:0.66"
_WORDS = "font-family:var(--st-code-font, monospace);font-size:0.8rem"


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


def show_pairs(shown: Iterable[tuple[Chips, Chips]]) -> None:
    """Show source and target of pairs beside each other."""
    cells = "".join(
        f'<div class="source">{_chips(source)}</div><div class="target">{_chips(target)}</div>'
        for source, target in shown
    )
    st.html(f'{_PAIRS}<div class="lab-pairs">{cells}</div>')


def show_table(
    rows: Sequence[Sequence[str]],
    *,
    widths: Sequence[int],
    header: Sequence[str] = (),
    notes: Container[int] = (),
    wrapped: bool = False,
) -> None:
    """Show rows of texts.

    Args:
        rows: Texts as they are, whatever signs are in them.
        widths: Of the columns, in percent.
        header: What the columns hold.
        notes: Columns that hold words about the texts.
        wrapped: True where long texts go on in another line; the height may change then.
    """
    columns = "".join(f'<col style="width:{width}%">' for width in widths)
    names = [_heading(name) for name in header]
    written = [
        [_cell(text, column in notes, wrapped) for column, text in enumerate(row)] for row in rows
    ]
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in written)
    top = f"<thead><tr>{''.join(names)}</tr></thead>" if names else ""
    st.html(
        f'<table style="{_TABLE}"><colgroup>{columns}</colgroup>{top}<tbody>{body}</tbody></table>'
    )


def _chips(row: Chips) -> str:
    return "".join(
        f'<span dir="auto" class="{"joined" if joined else ""}">{escape(text)}</span>'
        for text, joined in row
    )


def _heading(name: str) -> str:
    """Return the head of a column; that of one without a name is no heading."""
    tag = 'th scope="col"' if name else "td"
    return f'<{tag} style="{_CELL};{_HEAD}">{escape(name)}</{tag[:2]}>'


def _cell(text: str, note: bool, wrapped: bool) -> str:
    space = "normal;overflow-wrap:anywhere" if wrapped else "nowrap"
    style = f"{_CELL};{_HEAD if note else _WORDS};white-space:{space}"
    shown = escape(text) or "\u00a0"
    return f'<td dir="auto" title="{escape(text)}" style="{style}">{shown}</td>'
