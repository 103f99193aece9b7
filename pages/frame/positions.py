"""Positions that a link names."""


def positions(written: str | None, *counts: int) -> tuple[int, ...] | None:
    """Return positions that stand between commas, one of each count; None where one is none such.

    >>> positions("3,0", 4, 1), positions("3,1", 4, 1), positions("3", 4, 1), positions(None, 4)
    ((3, 0), None, None, None)
    """
    parts = (written or "").split(",")
    if len(parts) != len(counts):
        return None
    found = [position(part, count) for part, count in zip(parts, counts, strict=True)]
    return None if None in found else tuple(each for each in found if each is not None)


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
