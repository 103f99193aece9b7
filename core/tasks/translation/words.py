"""What the lexicon knows of a word: its forms on both sides, and what it goes together with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    """What a noun means; it decides the English pronoun, and which adjectives and verbs fit."""

    PERSON = auto()
    ANIMAL = auto()
    PLACE = auto()
    THING = auto()
    FOOD = auto()


ANIMATE = frozenset({Kind.PERSON, Kind.ANIMAL})
ANYTHING = frozenset(Kind)


# Words are compared by identity (eq=False): there is one object per entry of the lexicon.
@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun; its forms are (singular, plural), so that a truth value picks one."""

    english: tuple[str, str]
    french: tuple[str, str]
    feminine: bool
    kind: Kind


Forms = tuple[str, str, str, str]
"""Masculine and feminine singular, masculine and feminine plural: see `form_index`."""


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective, its place in a noun phrase and the nouns that it is said of."""

    english: str
    french: Forms
    kinds: frozenset[Kind]
    before: bool
    """True for the few that stand before the French noun: "la petite pomme"."""
    liaison: str
    """The masculine singular before a vowel sound: "un bel animal"."""
    predicative: bool
    """True when "it was …" may say it with the same French word as before a noun."""
    gradable: bool
    """True when "very" and "too" go with it."""
    having: str
    """What one "has" in French instead of being so, "faim"; empty for most."""
    also: frozenset[Kind]
    """Kinds that it could be said of, though the grammar does not: it does not tell from them."""
    exceptions: Mapping[str, Forms]
    """English noun → other French forms: "une grosse souris", "la rivière est à sec"."""

    def forms_with(self, noun: Noun) -> Forms:
        """Return the French forms for a noun."""
        return self.exceptions.get(noun.english[0], self.french)

    def common_forms(self, nouns: Sequence[Noun]) -> Forms | None:
        """Return the French forms for some nouns together; None where they differ."""
        forms, *others = {self.forms_with(noun) for noun in nouns} or {self.french}
        return None if others else forms


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb in the present and the past: English forms, French forms of the third person."""

    base: str
    third: str
    """Third person singular, present."""
    past: str
    present: tuple[str, str]
    """Singular and plural."""
    imperfect: tuple[str, str] | None
    """The same, for what lasts ("liked", "knew"); all else is told in the passé composé."""
    participle: Forms
    etre: bool
    """True when the auxiliary is "être": the participle then agrees with the subject."""
    subjects: frozenset[Kind]
    objects: frozenset[Kind]
    """Empty for a verb without an object."""


def form_index(feminine: bool, plural: bool) -> int:
    """Return where the form for this gender and number stands among four.

    >>> ("petit", "petite", "petits", "petites")[form_index(feminine=True, plural=False)]
    'petite'
    """
    return feminine + 2 * plural
