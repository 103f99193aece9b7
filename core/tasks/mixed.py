"""The user's own pairs, learned beside the sentences that a task makes."""

import random
from collections.abc import Callable, Iterator
from typing import Self

from core.tasks.corpus import Corpus, OwnPairs
from core.tasks.task import Example, Part, Sample, Task

OWN_EACH = 3
"""So many own pairs stand for each sentence that is made, where they are drawn in turn."""


class Mixed:
    """Two sources of samples: what the made ones know of pronouns, the own ones need not.

    How often each is learned from is said by a training (`core.training.batches`).

    Args:
        made: Makes its sentences.
        pairs: The user's own.
    """

    def __init__(self, made: Task, pairs: Corpus) -> None:
        self.made, self.pairs = made, pairs
        self.name: str = made.name
        self.pronouns: frozenset[str] = made.pronouns
        self.examples: tuple[Example, ...] = made.examples

    def training_samples(self, rng: random.Random) -> Iterator[Sample]:
        """Yield samples to learn from, without end: a few of the user's own, then one made."""
        own = self.pairs.training_samples(random.Random(rng.random()))
        made = self.made.training_samples(rng)
        while True:
            for _ in range(OWN_EACH):
                yield next(own)
            yield next(made)

    def held_out_samples(self, n: int, seed: int = 0, part: Part = "test") -> list[Sample]:
        """Return up to `n` samples of a part with different sources: half of them are made."""
        own = self.own_held_out_samples(n, seed, part)
        sources = {sample.source for sample in own}
        made = self.made.held_out_samples(n - len(own), seed, part)
        return own + [sample for sample in made if sample.source not in sources]

    def own_held_out_samples(self, n: int, seed: int = 0, part: Part = "test") -> list[Sample]:
        """Return those of `held_out_samples` that are the user's own."""
        return self.pairs.held_out_samples(n // 2, seed, part)

    def reference(self, source: str) -> str | None:
        """The true target of a source, whoever knows it."""
        return self.pairs.reference(source) or self.made.reference(source)

    def only(self, fits: Callable[[Sample], bool]) -> Self:
        """Return the task without own pairs that do not fit.

        Raises:
            CorpusError: Too few are left.
        """
        return type(self)(self.made, self.pairs.only(fits))


def own_pairs_of(task: Task) -> OwnPairs | None:
    """Return the user's own pairs in a task; None where it makes all that is learned."""
    if isinstance(task, Mixed):
        return task.pairs
    return task if isinstance(task, OwnPairs) else None
