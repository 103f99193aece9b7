"""What a task is: a source of sentence pairs that know where their words come from."""

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

from core.tokenizer.word_level import Vocabulary
from core.vocabulary import Span

Part = Literal["train", "valid", "test"]
"""To learn from; to watch a training by; to measure the trained model by."""


TEST_SHARE = 0.1


def hash_fraction(key: str, salt: str = "") -> float:
    """Return a number from 0 to below 1: a function of key and salt alone, on every machine."""
    digest = hashlib.blake2b(f"{salt}/{key}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def is_in_test_part(key: str, salt: str = "") -> bool:
    """Say whether a key falls into the tenth that is held out."""
    return hash_fraction(key, salt) < TEST_SHARE


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
    others: tuple[str, ...] = ()
    """Targets that are as right as the one that is shown."""


@dataclass(frozen=True, slots=True)
class Example:
    """A source worth looking at."""

    name: str
    """A label of a word or two, with {n} for the number: a marked text."""
    source: str
    number: int = 0
    """Tells apart those of one name."""


class Task(Protocol):
    """What the model learns: where samples come from, and which of them are held out."""

    name: str
    pronouns: frozenset[str]
    """Source words, in small letters, whose translation depends on what they stand for."""

    @property
    def examples(self) -> tuple[Example, ...]:
        """Sources worth looking at, the best first."""
        ...

    def training_samples(self, rng: random.Random) -> Iterator[Sample]:
        """Yield samples to learn from, without end; none is of a held-out part."""
        ...

    def held_out_samples(self, n: int, seed: int = 0, part: Part = "test") -> list[Sample]:
        """Return up to `n` samples of a part with different sources.

        The same seed gives the same ones, and those of a smaller `n` are the first of a larger.
        """
        ...

    def reference(self, source: str) -> str | None:
        """Return the true target of a source, or None if the task does not know it."""
        ...


class Drawn(ABC):
    """A task that makes its samples: whichever part they are of is a function of the sample."""

    form: str
    """What its sources are, in words: a marked text."""
    vocabulary: Vocabulary | None = None
    """All its words, and names; None if pieces of words are learned from its samples."""

    @abstractmethod
    def makes(self, source: str) -> bool:
        """Say whether the task may draw a sample with this source."""

    @abstractmethod
    def sample(self, rng: random.Random) -> Sample:
        """Draw any sample, held out or not."""

    @abstractmethod
    def held_out(self, sample: Sample) -> bool:
        """Say whether a sample belongs to the test set; a function of the sample alone."""

    def training_samples(self, rng: random.Random) -> Iterator[Sample]:
        """Yield samples that are not held out, without end."""
        while True:
            sample = self.sample(rng)
            if not self.held_out(sample):
                yield sample

    def held_out_samples(self, n: int, seed: int = 0, part: Part = "test") -> list[Sample]:
        """Return up to `n` different held-out samples; every part is the same.

        There are fewer where 200 n draws find fewer.
        """
        return list(_held_out(self, n, seed))


# Several figures of a page are of the same samples, and most that are drawn are not held out.
@lru_cache(maxsize=16)
def _held_out(task: Drawn, n: int, seed: int) -> tuple[Sample, ...]:
    rng = random.Random(f"test {seed}")
    samples: dict[str, Sample] = {}
    for _ in range(200 * n):
        sample = task.sample(rng)
        if task.held_out(sample):
            samples.setdefault(sample.source, sample)
        if len(samples) == n:
            break
    return tuple(samples.values())
