"""Positions that a link names."""


def position(written: str | None, count: int) -> int | None:
    """Return the position, of so many, that somebody wrote; None where there is none such.

    >>> position("3", 4), position("4", 4), position("-1", 4), position("²", 4), position("", 4)
    (3, None, None, None, None)
    """
    # Of long numbers Python refuses to read some, and none of them is a position.
    if written is None or len(written) > 9 or not (written.isascii() and written.isdecimal()):
        return None
    found = int(written)
    return found if found < count else None
