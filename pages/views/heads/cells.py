"""The cell of a map that was clicked, kept in the URL."""

from typing import Any

from pages.frame import address, session
from pages.frame.positions import position

_DRAWER = "cells"


def take(key: str, parameter: str) -> None:
    """Take over the cell that was clicked in the matrices of a key."""
    component: Any = session.held(key, None)
    if pick := dict(component.pick or {}):
        address.choose({parameter: f"{pick['row']},{pick['column']}"})


def keep_only_of(shown: object, parameter: str) -> None:
    """Forget what the link says of a cell once something else is shown than at the last look."""
    seen = session.drawer(_DRAWER)
    if seen.setdefault(parameter, shown) != shown:
        seen[parameter] = shown
        address.choose({parameter: None})


def linked(parameter: str, rows: int, columns: int) -> tuple[int, int] | None:
    """Return the row and the column that the link names, if there is such a cell."""
    parts = (address.linked(parameter) or "").split(",")
    if len(parts) != 2:
        return None
    row, column = position(parts[0], rows), position(parts[1], columns)
    return None if row is None or column is None else (row, column)
