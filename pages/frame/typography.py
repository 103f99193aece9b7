"""What a model writes, set as print sets it: for reading, never for numbers or files."""

import re
from collections.abc import Sequence

from core.analysis.heads.comparison import aligned
from core.runs.run import Run
from core.tasks import TARGET_LANGUAGES
from pages.frame.marked_words import in_markdown
from viz.component.payload import Doubt

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
    found = aligned(first.split(), second.split())
    one, other = (
        _with_bold(text, found.differing(side), doubts[side])
        for side, text in enumerate((first, second))
    )
    return one, other


def _with_bold(text: str, differing: Sequence[int], doubts: Sequence[Doubt]) -> str:
    words = [in_markdown(text, doubts, *each.span()) for each in re.finditer(r"\S+", text)]
    return " ".join(f"**{w}**" if at in differing else w for at, w in enumerate(words)) or "–"
