"""Which way texts run: what runs from right to left must not move what is around it (UAX #9)."""

import re

_BEGIN, _END = "\u2068", "\u2069"
_BEGINNINGS = "\u2066\u2067\u2068"
_TURNING = re.compile(
    "[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""Blocks whose letters or digits run from right to left, and signs that turn a text."""


def isolated(text: str) -> str:
    """Return a text as it stands within a sentence, between U+2068 and U+2069.

    It keeps the direction of its first letter, and the signs around it keep their places. A text
    that runs from left to right stays as it is, and so does one that is isolated already. What
    would end its isolation early is left out.
    """
    if not _TURNING.search(text):
        return text
    result, depth, bare = "", 0, False
    for sign in text:
        if sign == _END and not depth:
            bare = True
            continue
        result += sign
        depth += (sign in _BEGINNINGS) - (sign == _END)
        bare |= not depth and sign != _END and bool(_TURNING.match(sign))
    return f"{_BEGIN}{result}{_END * (depth + 1)}" if bare or depth else text


def unmarked(text: str) -> str:
    """Return a generated sentence for files, which hold no marks."""
    return text.replace(_BEGIN, "").replace(_END, "")
