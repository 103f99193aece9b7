"""Texts of a model below each other, in a table."""

from collections.abc import Container, Sequence
from html import escape

import streamlit as st

# Long texts end in an ellipsis; the whole text is read on hover. Colours are the page's own.
_TABLE = "width:100%;table-layout:fixed;border-collapse:collapse;font-size:0.875rem"
_CELL = (
    "padding:0.15rem 0.75rem 0.15rem 0;overflow:hidden;text-overflow:ellipsis;vertical-align:top;"
    "text-align:start;border:0;border-bottom:1px solid color-mix(in srgb, currentColor 15%, "
    "transparent)"
)
_HEAD = "font-weight:400;opacity:0.66"
_WORDS = "font-family:var(--st-code-font, monospace);font-size:0.8rem"


def lines(
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
    names = [f'<th scope="col" style="{_CELL};{_HEAD}">{escape(name)}</th>' for name in header]
    written = [
        [_cell(text, column in notes, wrapped) for column, text in enumerate(row)] for row in rows
    ]
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in written)
    top = f"<thead><tr>{''.join(names)}</tr></thead>" if names else ""
    st.html(
        f'<table style="{_TABLE}"><colgroup>{columns}</colgroup>{top}<tbody>{body}</tbody></table>'
    )


def _cell(text: str, note: bool, wrapped: bool) -> str:
    space = "normal;overflow-wrap:anywhere" if wrapped else "nowrap"
    style = f"{_CELL};{_HEAD if note else _WORDS};white-space:{space}"
    shown = escape(text) or "\u00a0"
    return f'<td dir="auto" title="{escape(text)}" style="{style}">{shown}</td>'
