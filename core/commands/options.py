"""Numbers on the command line, refused where they are read."""

import argparse
import math
from collections.abc import Callable

MOST_SAMPLES = 1_000_000
"""Held-out samples: more take days."""
LARGEST_SEED = 2**63 - 1


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return what reads a whole number within bounds.

    >>> whole(1, 64)("5")
    5
    """

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise _refused(text, "a whole number") from None
        if not least <= value <= most:
            raise _refused(text, f"{least} to {most}")
        return value

    return read


def number(least: float, most: float) -> Callable[[str], float]:
    """Return what reads a number within bounds.

    >>> number(0, 1)("0.5")
    0.5
    """

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise _refused(text, "a number") from None
        if math.isnan(value) or not least <= value <= most:
            raise _refused(text, f"{least:g} to {most:g}")
        return value

    return read


seed = whole(0, LARGEST_SEED)
samples = whole(1, MOST_SAMPLES)


def _refused(text: str, wanted: str) -> argparse.ArgumentTypeError:
    shown = text if len(text) <= 40 else text[:39] + "…"
    return argparse.ArgumentTypeError(f"{shown} is not {wanted}")


class OneSentence(argparse.ArgumentParser):
    """A parser that refuses in one sentence, without the usage before it."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Say what is wrong, and end with status 2."""
        self.exit(2, f"error: {message} (see {self.prog} --help)\n")
