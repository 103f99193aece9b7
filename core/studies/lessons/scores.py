"""Scores as somebody types them."""

import math

import numpy as np
from numpy.typing import NDArray

from core.messages import Message, SaidError
from core.words import shortened

MOST = 16
LARGEST = 1e6


class ScoresError(SaidError, ValueError):
    """A text that is no list of scores; the message says why, and what would do."""


def read_scores(text: str) -> NDArray[np.float64]:
    """Read numbers that stand between commas, semicolons or spaces.

    A comma is never a decimal point. A minus may be − or -.

    Raises:
        ScoresError: There is no number, there are too many, or one of them cannot be.

    >>> read_scores("1, 2.5; −3").tolist()
    [1.0, 2.5, -3.0]
    """
    words = text.replace(",", " ").replace(";", " ").split()
    if not words:
        raise ScoresError("There are no scores. Type numbers with commas between them: 1, 2, 3.")
    if len(words) > MOST:
        said = Message(
            "There are {n} scores; at most {most} can be shown.", n=len(words), most=MOST
        )
        raise ScoresError(said)
    return np.array([_number(word) for word in words], dtype=np.float64)


def _number(word: str) -> float:
    try:
        # float() would also read 1_000.
        number = float("_" if "_" in word else word.replace("−", "-"))
    except ValueError:
        said = Message("“{word}” is not a number. Type them like 1, 2.5, -3.", word=_short(word))
        raise ScoresError(said) from None
    if not math.isfinite(number):
        said = Message("“{word}” is not a finite number, so it has no softmax.", word=_short(word))
        raise ScoresError(said)
    if abs(number) > LARGEST:
        said = Message(
            "“{word}” is too large: scores go from -1000000 to 1000000.", word=_short(word)
        )
        raise ScoresError(said)
    return number


def _short(word: str) -> str:
    return shortened(word, 20)
