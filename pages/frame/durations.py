"""Times as people say them, in the reader's language."""

from pages.frame.language import N_, _


def duration(seconds: float) -> str:
    r"""Return a time as people say it: two units at most, the smaller one rounded.

    >>> [duration(each).replace("\u00a0", " ") for each in (0.4, 48.2, 172, 3599.7, 90_000)]
    ['1 s', '48 s', '2 min 50 s', '1 h', '1 d 1 h']
    """
    # Estimates are not exact to the second.
    rounded = max(1, round(seconds)) if seconds < 60 else 10 * round(seconds / 10)
    at = next(index for index, (length, _text) in enumerate(_UNITS) if rounded >= length)
    if at < 2:
        smaller = _UNITS[at + 1][0]
        rounded = smaller * round(rounded / smaller)
        at = next(index for index, (length, _text) in enumerate(_UNITS) if rounded >= length)
    parts = []
    for length, text in _UNITS[at : at + 2]:
        count, rounded = divmod(rounded, length)
        parts += [_(text).format(n=count)] * (count > 0)
    return " ".join(parts)


_UNITS = (
    (86_400, N_("{n}\u00a0d")),
    (3600, N_("{n}\u00a0h")),
    (60, N_("{n}\u00a0min")),
    (1, N_("{n}\u00a0s")),
)
"""Seconds → how so many of a unit are written."""
