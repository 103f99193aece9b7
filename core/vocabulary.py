"""Special token ids, and spans of a text."""

from dataclasses import dataclass

PAD, BOS, EOS = 0, 1, 2
"""Padding; begins a target; ends a source and a target."""
SPECIAL_TEXTS = {PAD: "PAD", BOS: "BOS", EOS: "EOS"}
FIRST_ID = len(SPECIAL_TEXTS)
"""The first id that stands for a piece of text."""


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start` to `end` (not included) of a sentence.

    >>> Span(4, 10).of("The animal slept.")
    'animal'
    """

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the characters themselves."""
        return text[self.start : self.end]
