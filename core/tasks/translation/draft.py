"""A sentence in progress: English is written from left to right, each word where it is chosen."""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from .lexicon import Adjective, Kind, Noun, Verb
from .names import invented, is_feminine

Choice = TypeVar("Choice")
Entry = TypeVar("Entry", Noun, Adjective, Verb)
MARKS = frozenset(".,?")
Sources = tuple[int, ...]
"""The indices of the English words that a French word comes from."""


class Word(NamedTuple):
    """A French word (before elision), or a mark, which has no sources."""

    text: str
    sources: Sources = ()


class Mention(NamedTuple):
    """A noun or a name in the sentence, for pronouns and agreement."""

    position: int
    kind: Kind
    feminine: bool
    plural: bool
    noun: Noun | None
    """None for a name."""


class Draft:
    """Every choice of the grammar goes through here, and every English word.

    The French side has another word order, so the functions of the grammar return it. With a
    generator of random numbers a draft samples the grammar; the subclass in `recognition` makes the
    same choices follow a given English sentence instead.
    """

    def __init__(self, rng: random.Random) -> None:
        self.english: list[str] = []
        self.marks = True
        """Whether punctuation is said; without it, it is left out."""
        self.present = False
        """True in the present tense, False in the past."""
        self.mentions: list[Mention] = []
        self.used: list[Noun | Adjective | Verb] = []
        """Words of the lexicon in the sentence: none is drawn twice."""
        self.verb_tags: dict[int, str] = {}
        """The position of each full verb, and its part of speech (a tag of the Penn Treebank)."""
        self.references: list[tuple[int, Mention]] = []
        """The position of each pronoun, and its antecedent."""
        self._rng = rng
        self._random = rng.random

    def choose(self, options: Sequence[Choice]) -> Choice:
        """Return one of the options; an option that is listed twice is twice as likely."""
        return options[int(self._random() * len(options))]

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._random() < probability

    def say(self, text: str) -> Sources:
        """Add one or more English words, and return their indices."""
        if text in MARKS and not self.marks:
            return ()
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
        """Choose and say in one step, so that a recogniser tries only what fits."""
        chosen = self.choose(options)
        return chosen, self.say(form(chosen))

    def pick_new(
        self, options: Sequence[Entry], form: Callable[[Entry], str]
    ) -> tuple[Entry, Sources]:
        """Pick a word that the sentence does not have yet."""
        if self.used:
            options = [each for each in options if each not in self.used]
        entry, sources = self.pick(options, form)
        self.used.append(entry)
        return entry, sources

    def name(self, feminine: bool | None) -> tuple[str, Sources]:
        """Say an invented name, of this gender or (None) of any."""
        chosen = invented(self._rng, self.chance(0.5) if feminine is None else feminine)
        return chosen, self.say(chosen)

    def mention_name(self, feminine: bool | None) -> tuple[str, Mention]:
        """Say a name and record the mention."""
        name, (index,) = self.name(feminine)
        mention = Mention(index, Kind.PERSON, is_feminine(name), False, None)
        self.mentions.append(mention)
        return name, mention

    def mention_noun(self, options: Sequence[Noun], plural: bool) -> tuple[Noun, Mention]:
        """Say a noun that the sentence does not have yet, and record the mention."""
        noun, (index,) = self.pick_new(options, lambda each: each.english[plural])
        mention = Mention(index, noun.kind, noun.feminine, plural, noun)
        self.mentions.append(mention)
        return noun, mention
