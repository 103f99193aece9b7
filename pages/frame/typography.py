"""What a model writes, set as print sets it: for reading, never for numbers or files."""

import re
from collections.abc import Sequence

from core.analysis.heads.comparison import aligned
from core.runs.run import Run
from core.tasks import TARGET_LANGUAGES
from pages.frame.language import as_it_is
from viz.direction import isolated

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
    words = first.split(), second.split()
    found = aligned(*words)
    one, other = (_with_bold(words[side], found.differing(side)) for side in (0, 1))
    return one, other


def _with_bold(words: Sequence[str], differing: Sequence[int]) -> str:
    marked_words = (
        f"**{as_it_is(word)}**" if at in differing else as_it_is(word)
        for at, word in enumerate(words)
    )
    return isolated(" ".join(marked_words)) or "–"
