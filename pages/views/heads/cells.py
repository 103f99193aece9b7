"""The cell of a map that was clicked, kept in the URL."""

from pages.frame import clicks, session
from pages.frame.session import positions

_DRAWER = "cells"


def take(key: str, parameter: str) -> None:
    """Take over the cell that was clicked in the matrices of a key."""
    if pick := clicks.picked(key):
        session.choose({parameter: f"{pick['row']},{pick['column']}"})


def keep_only_of(shown: object, parameter: str) -> None:
    """Forget what the link says of a cell once something else is shown than at the last look."""
    seen = session.storage(_DRAWER)
    if seen.setdefault(parameter, shown) != shown:
        seen[parameter] = shown
        session.choose({parameter: None})


def linked(parameter: str, rows: int, columns: int) -> tuple[int, int] | None:
    """Return the row and the column that the link names, if there is such a cell."""
    match positions(session.linked(parameter), rows, columns):
        case (row, column):
            return row, column
    return None
