"""What a model writes, set as print sets it: for reading, never for numbers or files."""

import re
from collections.abc import Sequence

from core.runs.run import Run
from core.studies.heads.comparison import aligned
from core.tasks import TARGET_LANGUAGES
from core.tokenizer.words import spaced_words
from pages.frame.marked_words import in_markdown
from viz.component.payload import Doubt
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


def marked(
    first: str, second: str, doubts: tuple[Sequence[Doubt], Sequence[Doubt]] = ((), ())
) -> tuple[str, str]:
    """Return two texts in Markdown, the words that differ in bold; a dash where there is none.

    Args:
        first: One text.
        second: The other.
        doubts: Words of each that are marked, see `marked_words.in_markdown`.
    """
    words = spaced_words(first), spaced_words(second)
    found = aligned(*([word for word, _ in side] for side in words))
    one, other = (
        _with_bold(text, words[side], found.differing(side), doubts[side])
        for side, text in enumerate((first, second))
    )
    return one, other


def _with_bold(
    text: str,
    words: Sequence[tuple[str, str]],
    differing: Sequence[int],
    doubts: Sequence[Doubt],
) -> str:
    parts, start = [], text.index(words[0][0]) if words else 0
    for at, (word, space) in enumerate(words):
        shown = in_markdown(text, doubts, start, start + len(word))
        start += len(word) + len(space)
        # Markdown takes no asterisks between a letter and a sign.
        bold = at in differing and (space or any(map(str.isalnum, word)))
        parts.append((f"**{shown}**" if bold else shown) + space)
    # Neighbours without a space between them are one bold text.
    return isolated("".join(parts).replace("****", "")) or "–"
