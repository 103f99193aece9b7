"""The grammar run backwards: from an English sentence to its derivation."""

import random
import re
from collections.abc import Callable, Sequence, Set
from functools import lru_cache
from typing import Any

from ..task import Sample
from .clauses import BECAUSE, BUT, WHEN, Mood
from .draft import MARKS, Choice, Draft, Sources
from .lexicon import NOUNS, Kind
from .names import VOCABULARY, is_feminine, is_name
from .patterns import sentence
from .spelling import spelled

_TOKEN = re.compile(r"[^\s.,?]+|[.,?]")

CONNECTORS = (BECAUSE, WHEN, BUT)
_KINDS = {form: noun.kind for noun in NOUNS for form in noun.english}
SENTENCES_KEPT = 256
"""The most sentences in the cache: several figures of one sentence ask for its derivation."""

# A follower takes its choices from the sentence, never from a generator.
_UNUSED = random.Random(0)


class _MismatchError(Exception):
    """The choices so far do not say the given sentence."""


class _Follower(Draft):
    """A draft that may only say a given sentence; it records every choice that it did not take."""

    def __init__(self, tokens: list[str], kinds: Set[Kind], script: tuple[Any, ...]) -> None:
        super().__init__(_UNUSED)
        self._tokens = tokens
        self._kinds = kinds
        self._script = script
        self._taken: list[Any] = []
        self.untried: list[tuple[Any, ...]] = []

    def _replays(self) -> bool:
        return len(self._taken) < len(self._script)

    def choose(self, options: Sequence[Choice]) -> Choice:
        """Take what the script says; beyond its end the first option."""
        if self._replays():
            taken = self._script[len(self._taken)]
        elif options := [each for each in dict.fromkeys(options) if self._may_be_meant(each)]:
            taken, *others = options
            self.untried += [(*self._taken, other) for other in others]
        else:
            raise _MismatchError
        self._taken.append(taken)
        return taken

    def _may_be_meant(self, option: object) -> bool:
        """Whether the sentence has what an option brings; else all that follows would be tried."""
        if isinstance(option, Mood):
            return not option.question or not self.marks or "?" in self._tokens
        if isinstance(option, Kind):
            return option in self._kinds
        if isinstance(option, tuple):
            return all(map(self._may_be_meant, option))
        return option not in CONNECTORS or option in self._tokens

    def chance(self, probability: float) -> bool:
        """Try both."""
        return self.choose((False, True))

    def _fits(self, text: str) -> bool:
        if text in MARKS and not self.marks:
            return True
        words = text.split()
        start = len(self.english)
        return self._tokens[start : start + len(words)] == words

    def say(self, text: str) -> Sources:
        """Go on only where the given sentence says the same."""
        if not self._fits(text):
            raise _MismatchError
        return super().say(text)

    def pick(
        self, options: Sequence[Choice], form: Callable[[Choice], str]
    ) -> tuple[Choice, Sources]:
        """Choose among what fits."""
        if not self._replays():
            options = [option for option in options if self._fits(form(option))]
        chosen = self.choose(options)
        return chosen, self.say(form(chosen))

    def name(self, feminine: bool | None) -> tuple[str, Sources]:
        """Take whatever stands here for a name, if it can be one."""
        name = self._tokens[len(self.english)] if len(self.english) < len(self._tokens) else ""
        if not is_name(name) or feminine not in (None, is_feminine(name)):
            raise _MismatchError
        return name, self.say(name)


def drawn(draft: Draft) -> Sample:
    """Return any sentence of the grammar with its translation."""
    return spelled(draft, sentence(draft))


def derivations(source: str, draw: Callable[[Draft], Sample] = drawn) -> list[Sample]:
    """Return every sample of the grammar with this English side, without repetition.

    >>> [sample.target for sample in derivations("The dogs didn't eat any apples.")]
    ["Les chiens n'ont pas mangé de pommes."]
    >>> derivations("The dogs will eat.")
    []
    """
    return list(_derived(source, draw))


@lru_cache(SENTENCES_KEPT)
def _derived(source: str, draw: Callable[[Draft], Sample]) -> tuple[Sample, ...]:
    tokens = _tokens(source)
    if not all(map(_is_said, tokens)):
        return ()
    kinds = {_KINDS[token] for token in tokens if token in _KINDS}
    if any(map(is_name, tokens)):
        kinds.add(Kind.PERSON)
    samples: dict[Sample, None] = {}
    pending: list[tuple[Any, ...]] = [()]
    while pending:
        draft = _Follower(tokens, kinds, pending.pop())
        try:
            sample = draw(draft)
        except _MismatchError:
            pass
        else:
            if sample.source == source:
                samples[sample] = None
        pending += draft.untried
    return tuple(samples)


def _is_said(token: str) -> bool:
    """Whether the grammar ever says a token; without this each would be tried in every sentence."""
    return token in VOCABULARY or is_name(token) or token in MARKS


def _tokens(source: str) -> list[str]:
    """Split into the words and marks that the grammar says, before capitals and "an"."""
    tokens: list[str] = _TOKEN.findall(source)
    if tokens and tokens[0].lower() in VOCABULARY:
        tokens[0] = tokens[0].lower()
    return ["a" if token == "an" else token for token in tokens]
