"""How similar a sentence is to those that a task's models were trained on."""

import random
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice

from core.tasks.corpus import KeptCorpus, Mixed
from core.tasks.task import Drawn, Task
from core.tasks.translation import Everyday
from core.tokenizer.words import written_words

N_DRAWN = 2_000
"""Number of training sentences whose lengths are compared."""
_LEAST_ALIKE = 0.75


@dataclass(frozen=True, slots=True)
class Familiarity:
    """Whether a sentence is like the training sentences, for a task that generates them."""

    form: str
    """Description of the task's sentences: a marked text."""
    made: bool
    """Whether the task generates such sentences, so that held-out figures apply to it."""


def familiarity(task: Task | None, sentence: str) -> Familiarity | None:
    """Compare a sentence with those that a task generates.

    None for a task that generates none, or whose models also learned other pairs.

    >>> from core.tasks.symbols import Copying
    >>> familiarity(Copying(), "a dog")
    Familiarity(form='4 to 16 letters from a to z with spaces between them', made=False)
    """
    if not isinstance(task, Drawn) or isinstance(task, Everyday):
        return None
    return Familiarity(task.form, task.makes(sentence))


def longest_learned(task: Task) -> int | None:
    """Return the most words of a source among `N_DRAWN` sentences of a task's training.

    None for a large corpus: a run keeps only its held-out pairs.

    >>> from core.tasks.symbols import Copying
    >>> longest_learned(Copying())
    16
    """
    if isinstance(task, KeptCorpus):
        return None
    drawn = islice(task.training_samples(random.Random("lengths")), N_DRAWN)
    return max((len(written_words(sample.source)) for sample in drawn), default=0)


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
