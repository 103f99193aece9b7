"""Texts in Vega's expressions.

Its parser takes a string that is "if" as a whole, or "constructor", for a name, and then finds no
such signal: the whole chart is lost. So no string of an expression is a text alone.
"""

import json
from collections.abc import Sequence

_BETWEEN = "\x1f"
"""Between the texts of a string; in a text it would not be seen."""


def list_of(texts: Sequence[str]) -> str:
    r"""Return the expression of a list of texts.

    >>> print(list_of(["it", "if"]))
    slice(split("\u001fit\u001fif", "\u001f"), 1)
    """
    if not texts:
        return "[]"
    written = "".join(_BETWEEN + text.replace(_BETWEEN, " ") for text in texts)
    return f"slice(split({json.dumps(written)}, {json.dumps(_BETWEEN)}), 1)"


def text_of(text: str) -> str:
    """Return the expression of a text."""
    return f"{list_of([text])}[0]"
