"""What a task is: a source of sentence pairs that know where their words come from."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from core.vocabulary import Span


@dataclass(frozen=True, slots=True)
class Link:
    """One target word and a source word that it comes from."""

    source: Span
    target: Span


@dataclass(frozen=True, slots=True)
class Reference:
    """A pronoun and what it stands for."""

    pronoun: Span
    """In the source."""
    antecedent: Span
    """The noun (without its article) in the source."""
    nouns: tuple[Span, ...]
    """Every noun or name of the source, in order; the antecedent is one of them."""
    target: Span
    """The pronoun in the target."""
    ambiguous: bool
    """True when the source pronoun alone does not tell the target pronoun (it, they), and nouns
    of both genders that it could mean stand in the sentence, so that the antecedent must be
    found."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sentence pair with what is known of it."""

    source: str
    target: str
    links: tuple[Link, ...] = ()
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A source worth looking at."""

    name: str
    """A word or two that say what is to be seen."""
    source: str


class Task(Protocol):
    """What the model learns: where samples come from, and which of them are kept for the test."""

    name: str
    pronouns: frozenset[str]
    """Source words, in small letters, whose translation depends on what they stand for."""
    examples: tuple[Example, ...]
    """The best first."""

    def sample(self, rng: random.Random) -> Sample:
        """Draw any sample, held out or not."""
        ...

    def held_out(self, sample: Sample) -> bool:
        """Say whether a sample belongs to the test set; a function of the sample alone."""
        ...

    def reference(self, source: str) -> str | None:
        """Return the true target of a source, or None where the task does not know it."""
        ...


def training_samples(task: Task, rng: random.Random) -> Iterator[Sample]:
    """Yield samples that are not held out, without end."""
    while True:
        sample = task.sample(rng)
        if not task.held_out(sample):
            yield sample


def held_out_samples(task: Task, n: int, seed: int = 0) -> list[Sample]:
    """Return up to `n` different held-out samples; the same seed gives the same ones.

    There are fewer where the task has fewer (looked for in 200 n draws).
    """
    rng = random.Random(f"test {seed}")
    found: dict[str, Sample] = {}
    for _ in range(200 * n):
        sample = task.sample(rng)
        if task.held_out(sample):
            found.setdefault(sample.source, sample)
        if len(found) == n:
            break
    return list(found.values())
