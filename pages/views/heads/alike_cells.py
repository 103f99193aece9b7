"""The cell of a map that was clicked, kept in the URL."""

from typing import Any

from pages.frame import address, session

_DRAWER = "cells"


def take(key: str, parameter: str) -> None:
    """Take over the cell that was clicked in the matrices of a key."""
    component: Any = session.held(key, None)
    if pick := dict(component.pick or {}):
        address.choose({parameter: f"{pick['row']},{pick['column']}"})


def keep_only_of(shown: object, *parameters: str) -> None:
    """Forget what the link says of cells once something else is shown than at the last look."""
    seen = session.drawer(_DRAWER)
    if seen.setdefault(parameters, shown) != shown:
        seen[parameters] = shown
        for parameter in parameters:
            address.choose({parameter: None})


def linked(parameter: str, rows: int, columns: int) -> tuple[int, int] | None:
    """Return the row and the column that the link names, if there is such a cell."""
    parts = (address.linked(parameter) or "").split(",")
    # Long numbers are no cells either, and cost time to read.
    if len(parts) != 2 or not all(part.isdecimal() and len(part) < 6 for part in parts):
        return None
    row, column = map(int, parts)
    return (row, column) if row < rows and column < columns else None
