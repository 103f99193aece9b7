"""How similar a sentence is to those that a task's models were trained on."""

from collections.abc import Collection
from difflib import get_close_matches

from .corpus import Mixed
from .task import Drawn, Task
from .translation import Everyday

_LEAST_ALIKE = 0.75


def form_missed(task: Task | None, sentence: str) -> str:
    """Return the form of a task's sentences, a marked text, if a sentence does not have it.

    Empty for a task that generates none, or whose models also learned other pairs.

    >>> from core.tasks.symbols import Copying
    >>> form_missed(Copying(), "a dog"), form_missed(Copying(), "d o g s")
    ('4 to 16 letters from a to z with spaces between them', '')
    """
    if not isinstance(task, Drawn) or isinstance(task, Everyday) or task.makes(sentence):
        return ""
    return task.form


def is_measured(task: Task | None, sentence: str) -> bool:
    """Say whether a sentence is of the kind that a task's figures were measured on.

    Of a file of pairs, only its own sources are.
    """
    made = task.made if isinstance(task, Mixed) else task
    if isinstance(made, Drawn):
        return made.makes(sentence)
    return task is not None and task.reference(sentence) is not None


def nearest_words(word: str, known: Collection[str], n: int = 2) -> list[str]:
    """Return the known words that are spelled most like an unknown one, the most alike first.

    >>> nearest_words("anmial", {"animal", "animals", "street", "a"})
    ['animal', 'animals']
    >>> nearest_words("zzz", {"animal"})
    []
    """
    begins, length = word[:1].casefold(), len(word)
    alike = [each for each in known if each[:1].casefold() == begins and each != word]
    near = sorted(each for each in alike if abs(len(each) - length) <= 2)
    return get_close_matches(word, near, n, _LEAST_ALIKE)
