"""What a page says of what was just done, when it is drawn the next time."""

from pages.frame import session


def leave(text: str) -> None:
    """Leave words for the page of runs as it is drawn next."""
    session.drawer("runs")["note"] = text


def take() -> str:
    """Return the words that were left, once."""
    return str(session.drawer("runs").pop("note", ""))
