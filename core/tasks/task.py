"""The interface of tasks: sources of sentence pairs with alignments."""

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

from ..tokenizer.word_level import Vocabulary
from ..vocabulary import Span

Part = Literal["train", "valid", "test"]
"""Training, validation and test."""


TEST_SHARE = 0.1


def hash_fraction(key: str, salt: str = "") -> float:
    """Return a number in [0, 1) that depends only on key and salt."""
    digest = hashlib.blake2b(f"{salt}/{key}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def is_in_test_part(key: str, salt: str = "") -> bool:
    """Say whether a key falls into the held-out tenth."""
    return hash_fraction(key, salt) < TEST_SHARE


@dataclass(frozen=True, slots=True)
class Link:
    """A target word and an aligned source word."""

    source: Span
    target: Span


@dataclass(frozen=True, slots=True)
class Reference:
    """A pronoun and its antecedent."""

    pronoun: Span
    """In the source."""
    antecedent: Span
    """The noun (without its article) in the source."""
    nouns: tuple[Span, ...]
    """Every noun or name of the source, in order; the antecedent is one of them."""
    target: Span
    """The pronoun in the target."""
    ambiguous: bool
    """True if the source pronoun alone does not determine the target pronoun (it, they), and the
    sentence has possible antecedents of both genders, so that the antecedent must be found."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sentence pair with its annotations."""

    source: str
    target: str
    links: tuple[Link, ...] = ()
    references: tuple[Reference, ...] = ()
    others: tuple[str, ...] = ()
    """Alternative correct targets."""


@dataclass(frozen=True, slots=True)
class Example:
    """A source worth looking at."""

    name: str
    """A label of a word or two, with {n} for the number: a marked text."""
    source: str
    number: int = 0
    """Distinguishes examples of one name."""


class Task(Protocol):
    """What a model learns: the samples, and which of them are held out."""

    name: str
    pronouns: frozenset[str]
    """Lower-case source words whose translation depends on their antecedent."""

    @property
    def examples(self) -> tuple[Example, ...]:
        """Sources worth looking at, the best first."""
        ...

    def training_samples(self, rng: random.Random) -> Iterator[Sample]:
        """Yield training samples forever; none is held out."""
        ...

    def held_out_samples(self, n: int, seed: int = 0, part: Part = "test") -> list[Sample]:
        """Return up to `n` samples of a part with different sources.

        The same seed gives the same ones; a smaller `n` gives the first of a larger one.
        """
        ...

    def reference(self, source: str) -> str | None:
        """Return the true target of a source, or None if the task does not know it."""
        ...


class Drawn(ABC):
    """A task that generates samples; whether one is held out depends on the sample alone."""

    form: str
    """Description of its sources: a marked text."""
    vocabulary: Vocabulary | None = None
    """All its words and names; None if subwords are learned from its samples."""

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
        """Yield samples that are not held out, forever."""
        while True:
            sample = self.sample(rng)
            if not self.held_out(sample):
                yield sample

    def held_out_samples(self, n: int, seed: int = 0, part: Part = "test") -> list[Sample]:
        """Return up to `n` different held-out samples; every part is the same.

        Fewer if 200 n draws find fewer.
        """
        return list(_held_out(self, n, seed))


# Several figures of a page use the same samples, and most draws are not held out.
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
