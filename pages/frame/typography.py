"""What a model writes, set as print sets it: for reading, never for numbers or files."""

import re
from collections.abc import Sequence

from core.analysis.heads.comparison import aligned
from core.runs.run import Run
from core.tasks import TARGET_LANGUAGES
from core.words import spaced_words
from pages.frame.language import plain

_NARROW = "\u202f"
"""A narrow space at which no line ends."""


def typeset(text: str, run: Run) -> str:
    """Return a target as it is printed in its language, where the run's task says which it is."""
    return typeset_target(text, run.settings.task)


def typeset_target(text: str, task: str) -> str:
    """Return a target of a task, by its name, as it is printed in its language."""
    return in_french(text) if TARGET_LANGUAGES.get(task) == "fr" else text


def in_french(text: str) -> str:
    """Return French with curved apostrophes and narrow spaces before what is not to stand alone.

    >>> in_french("Qu'est-ce que c'est ? Rien !")
    'Qu’est-ce que c’est\u202f? Rien\u202f!'
    """
    text = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    text = re.sub(r" (?=[?!;:»])", _NARROW, text)
    return re.sub(r"(?<=«) ", _NARROW, text)


def marked(first: str, second: str) -> tuple[str, str]:
    """Return two texts in Markdown, the words that differ in bold; a dash where there is none."""
    words = spaced_words(first), spaced_words(second)
    found = aligned(*([word for word, _ in side] for side in words))
    one, other = (_with_bold(words[side], found.differing(side)) for side in (0, 1))
    return one, other


def _with_bold(words: Sequence[tuple[str, str]], differing: Sequence[int]) -> str:
    parts = []
    for at, (word, space) in enumerate(words):
        # Markdown takes no asterisks between a letter and a sign.
        bold = at in differing and (space or any(map(str.isalnum, word)))
        parts.append((f"**{plain(word)}**" if bold else plain(word)) + space)
    # Neighbours without a space between them are one bold text.
    return "".join(parts).replace("****", "") or "–"
