"""A sentence in the making: English is said from left to right, each word where it is chosen."""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from core.tasks.translation.names import invented, is_feminine
from core.tasks.translation.words import Adjective, Kind, Noun, Verb

Choice = TypeVar("Choice")
Sources = tuple[int, ...]
"""Where the English words stand that a French word comes from."""


class Word(NamedTuple):
    """A French word (before elision) or a mark, which has no sources."""

    text: str
    sources: Sources = ()


class Mention(NamedTuple):
    """A noun or a name that has been said, for pronouns and agreement."""

    position: int
    kind: Kind
    feminine: bool
    plural: bool
    noun: Noun | None
    """None for a name."""


class Draft:
    """Every choice of the grammar goes through here, and every English word.

    The French side cannot be said from left to right, for its order is another; so the functions
    of the grammar return it. With a generator of random numbers a draft samples the grammar; the
    subclass in `recognition` makes the same choices follow a given English sentence instead.
    """

    def __init__(self, rng: random.Random) -> None:
        self.english: list[str] = []
        self.present = False
        """Whether the sentence is told in the present; else it is in the past."""
        self.mentions: list[Mention] = []
        self.adjectives: list[Adjective] = []
        self.verbs: list[Verb] = []
        self.references: list[tuple[int, Mention]] = []
        """For each pronoun its place and what it stands for."""
        self._rng = rng
        self._random = rng.random

    def choose(self, options: Sequence[Choice]) -> Choice:
        """Return one of the options; an option that stands there twice is twice as likely."""
        return options[int(self._random() * len(options))]

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._random() < probability

    def say(self, text: str) -> Sources:
        """Say one or more English words and return where they stand."""
        start = len(self.english)
        if " " not in text:
            self.english.append(text)
            return (start,)
        words = text.split()
        self.english += words
        return tuple(range(start, start + len(words)))

    def pick(
        self, options: Sequence[Choice], form: Callable[[Choice], str]
    ) -> tuple[Choice, Sources]:
        """Choose and say in one move, so that a recogniser need only look at what fits."""
        chosen = self.choose(options)
        return chosen, self.say(form(chosen))

    def name(self, feminine: bool | None) -> tuple[str, Sources]:
        """Say an invented name, of this gender or (None) of any."""
        chosen = invented(self._rng, self.chance(0.5) if feminine is None else feminine)
        return chosen, self.say(chosen)

    def mention_name(self, feminine: bool | None) -> tuple[str, Mention]:
        """Say a name and remember it."""
        name, (index,) = self.name(feminine)
        mention = Mention(index, Kind.PERSON, is_feminine(name), False, None)
        self.mentions.append(mention)
        return name, mention

    def mention_noun(self, options: Sequence[Noun], plural: bool) -> Mention:
        """Say a noun that the sentence does not have yet, and remember it."""
        if self.mentions:
            said = {mention.noun for mention in self.mentions}
            options = [noun for noun in options if noun not in said]
        noun, (index,) = self.pick(options, lambda each: each.english[plural])
        mention = Mention(index, noun.kind, noun.feminine, plural, noun)
        self.mentions.append(mention)
        return mention

    def pick_adjective(self, options: Sequence[Adjective]) -> tuple[Adjective, Sources]:
        """Say an adjective that the sentence does not have yet."""
        if self.adjectives:
            options = [each for each in options if each not in self.adjectives]
        adjective, sources = self.pick(options, lambda each: each.english)
        self.adjectives.append(adjective)
        return adjective, sources

    def pick_verb(
        self, options: Sequence[Verb], form: Callable[[Verb], str]
    ) -> tuple[Verb, Sources]:
        """Say a verb that the sentence does not have yet."""
        if self.verbs:
            options = [each for each in options if each not in self.verbs]
        verb, sources = self.pick(options, form)
        self.verbs.append(verb)
        return verb, sources
