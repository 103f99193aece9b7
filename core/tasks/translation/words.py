"""What the lexicon knows of a word: its forms on both sides, and what it goes together with."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective, its place in a noun phrase and the nouns that it is said of."""

    english: str
    french: tuple[str, str, str, str]
    """Masculine and feminine singular, masculine and feminine plural: see `form_index`."""
    kinds: frozenset[Kind]
    before: bool
    """True for the few that stand before the French noun: "la petite pomme"."""
    liaison: str
    """The masculine singular before a vowel sound: "un bel animal"."""
    predicative: bool
    """True when "it was …" may say it with the same French word as before a noun."""
    gradable: bool
    """True when "very" and "too" go with it."""


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb in the past: base and past form in English, the passé composé in French."""

    base: str
    past: str
    participle: tuple[str, str, str, str]
    """In the order of `form_index`."""
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
