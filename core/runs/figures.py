"""What was measured of a run, each figure within what it can be."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from core.config.settings import LARGEST_NUMBER
from core.messages import Message, said
from core.runs.files import check_numbers, damaged, is_there, read_json

_SHARES = (
    *("exact_match", "token_accuracy", "accuracy", "score", "baseline", "silenced_accuracy"),
    *("nearest_noun", "first_noun", "random_noun"),
)
_MOST = dict.fromkeys(_SHARES, 1.0) | {"bleu": 100.0, "chrf": 100.0}
"""Figure → the most that it can be; of others it is a large number."""
_ROUNDING = 1e-6
"""A sum of a thousand shares of 1/1000 is a little more than 1."""
_NAMES = ("exact_match", "token_accuracy", "bleu", "chrf", "loss", "n", "n_unfinished", "step")
"""Of a whole evaluation, or of a part of its pairs."""


def check_figures(stored: Mapping[str, Any], names: Iterable[str], prefix: str = "") -> None:
    """Refuse what is no number, below 0, or beyond what such a figure can be.

    Args:
        stored: Figures by their names.
        names: Those that are looked at.
        prefix: Stands before each name in what is stored.

    Raises:
        ValueError: A value is such.
        KeyError: A name is not there.
    """
    for name in names:
        check_numbers(stored, [prefix + name])
        value, most = stored[prefix + name], _MOST.get(name, LARGEST_NUMBER)
        if not 0 <= value <= most + _ROUNDING:
            raise ValueError(
                Message(
                    "{name} is {value}, not 0 to {most}",
                    name=prefix + name,
                    value=repr(value),
                    most=int(most),
                )
            )


def read_evaluation(path: Path) -> dict[str, Any] | None:
    """Return what evaluation.json holds, or None where there is none.

    Raises:
        RunError: It cannot be read, or holds what is no figure.
    """
    if not is_there(path, "evaluation.json"):
        return None
    stored = read_json(path, "evaluation.json")
    try:
        for found in (stored, stored.get("own_pairs") or {}):
            check_figures(found, [name for name in _NAMES if found.get(name) is not None])
    except (AttributeError, TypeError, ValueError) as error:
        raise damaged(path, "evaluation.json", said(error)) from error
    return stored
