"""Tables of which rows can be ticked, a choice that the address keeps, and those with bars."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, TypedDict, TypeVar, Unpack

import streamlit as st

from pages.frame import visit

Thing = TypeVar("Thing")


class Looks(TypedDict, total=False):
    """How a table looks."""

    row_height: int
    """In pixels."""
    height: int
    """In pixels, of the table."""
    column_config: Mapping[str, Any]
    """Column → how Streamlit shows it."""
    alt: str
    """What it shows, for screen readers."""


def show(
    name: str,
    shown: object,
    things: Sequence[Thing],
    ticked: Collection[Thing],
    take: Callable[[list[Thing]], None],
    selection_mode: Literal["single-row", "multi-row"],
    **looks: Unpack[Looks],
) -> None:
    """Draw a table of which rows can be ticked.

    Args:
        name: Of the table.
        shown: What Streamlit draws as one.
        things: What each row stands for.
        ticked: Those whose rows are.
        take: Takes over those that are ticked instead, by `address.choose`.
        selection_mode: Whether one or several can be.
        looks: See `Looks`.
    """
    rows = [row for row, thing in enumerate(things) if thing in ticked]
    most = 1 if selection_mode == "single-row" else len(rows)
    widget = visit.table(name, things, rows[:most], take)
    st.dataframe(
        shown,
        key=widget.key,
        on_select="rerun",
        selection_mode=selection_mode,
        selection_default={"selection": {"rows": widget.first}},
        hide_index=True,
        placeholder="",
        **looks,
    )


def beside_bars() -> str:
    """Return the format of a column of bars that are shares, which Streamlit writes itself.

    Per cent, as the browser's language has it, which mostly is the reader's.
    """
    return "percent"
