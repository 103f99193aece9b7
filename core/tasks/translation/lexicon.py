"""The lexicon: nouns, adjectives and verbs with their forms in both languages and what they fit.

The words stand in nouns.tsv, adjectives.tsv and verbs.tsv beside this file. Left out are "teacher"
or "child", for which English does not tell "le" from "la", and nouns with one form for both numbers
("sheep").
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Kind(Enum):
    """What a noun means; it decides the English pronoun, and which adjectives and verbs fit."""

    PERSON = "person"
    ANIMAL = "animal"
    PLACE = "place"
    THING = "thing"
    FOOD = "food"


KINDS = tuple(Kind)
ANIMATE = frozenset({Kind.PERSON, Kind.ANIMAL})
Forms = tuple[str, str, str, str]
"""Masculine and feminine singular, masculine and feminine plural: see `form_index`."""


def form_index(feminine: bool, plural: bool) -> int:
    """Return the index of the form for this gender and number.

    >>> ("petit", "petite", "petits", "petites")[form_index(feminine=True, plural=False)]
    'petite'
    """
    return feminine + 2 * plural


def is_plural(form: int) -> bool:
    """Say whether the form with this index is a plural."""
    return form >= form_index(feminine=False, plural=True)


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
    """An adjective, its place in a noun phrase and the nouns that it describes."""

    english: str
    french: Forms
    before_vowel: str
    """The masculine singular before a vowel sound: "un bel animal"."""
    before: bool
    """True for beauty, age, goodness and size, which stand before the French noun."""
    kinds: frozenset[Kind]
    also: frozenset[Kind]
    """Kinds that it could describe, though the grammar does not use it so: it cannot tell a pronoun
    of another kind from them."""
    predicative: bool
    """True when "it was …" takes the same French word as before a noun."""
    gradable: bool
    """True when "very" and "too" go with it."""
    noun_after_avoir: str
    """What one "has" in French instead of being so ("faim"); empty for most."""

    def forms_with(self, noun: Noun) -> Forms:
        """Return the French forms for a noun."""
        return _EXCEPTIONS.get((self.english, noun.english[0]), self.french)

    def common_forms(self, nouns: Sequence[Noun]) -> Forms | None:
        """Return the French forms for several nouns together; None if they differ."""
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
    """Singular and plural of what lasts ("liked"); other verbs take the passé composé."""
    participle: Forms
    etre: bool
    """True when the auxiliary is "être": the participle then agrees with the subject."""
    subjects: frozenset[Kind]
    objects: frozenset[Kind]
    """Empty for a verb without an object."""


# "un grand homme" is a great man; what is round or small for its kind is "gros" when it is big.
_GROS: Forms = ("gros", "grosse", "gros", "grosses")
_ROUND = ("ant", "bee", "mouse", "frog", "rabbit", "hen", "turtle", "jewel")
_EXCEPTIONS: Mapping[tuple[str, str], Forms] = {
    **{("big", noun): _GROS for noun in _ROUND},
    **{("dry", noun): ("à sec",) * 4 for noun in ("river", "canal")},
}
"""English adjective and noun → the French forms of this adjective beside this noun."""

# "un vieux garçon" is a bachelor, "une vieille fille" a spinster, "une belle-sœur" a sister-in-law,
# "une petite sœur" a younger sister, "un citron vert" a lime and "un livre blanc" a report.
_SET_PHRASES = "old boy, old girl, beautiful sister, beautiful brother, small sister, small brother"
SET_PHRASES = frozenset(
    tuple(phrase.split()) for phrase in f"{_SET_PHRASES}, green lemon, white book".split(", ")
)
"""English adjective and noun whose French words together mean something else."""

# In these words the h is "aspiré": no elision before it ("le haricot", but "l'homme").
ASPIRATED_H = frozenset({"haricot", "haricots", "hibou", "hiboux"})


def _rows(name: str) -> Iterator[dict[str, str]]:
    with Path(__file__).with_name(f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def _kinds(names: str) -> frozenset[Kind]:
    return frozenset(map(Kind, names.split()))


def _participle(masculine: str) -> Forms:
    # A participle in -s has no other masculine plural: "pris, prise, pris, prises".
    masculines = masculine if masculine.endswith("s") else masculine + "s"
    return masculine, masculine + "e", masculines, masculine + "es"


NOUNS = tuple(
    Noun(
        english=(row["singular"], row["plural"]),
        french=(row["french_singular"], row["french_plural"]),
        feminine=row["gender"] == "feminine",
        kind=Kind(row["kind"]),
    )
    for row in _rows("nouns")
)
ADJECTIVES = tuple(
    Adjective(
        english=row["english"],
        french=(
            row["masculine"],
            row["feminine"],
            row["masculine_plural"],
            row["feminine_plural"],
        ),
        before_vowel=row["before_vowel"] or row["masculine"],
        before=row["position"] == "before",
        kinds=_kinds(row["kinds"]),
        also=_kinds(row["also"]),
        predicative=row["predicative"] == "yes",
        gradable=row["gradable"] == "yes",
        noun_after_avoir=row["noun_after_avoir"],
    )
    for row in _rows("adjectives")
)
VERBS = tuple(
    Verb(
        base=row["base"],
        third=row["third"],
        past=row["past"],
        present=(row["present"], row["present_plural"]),
        imperfect=(row["imperfect"], row["imperfect_plural"]) if row["imperfect"] else None,
        participle=_participle(row["participle"]),
        etre=row["auxiliary"] == "être",
        subjects=_kinds(row["subjects"]),
        objects=_kinds(row["objects"]),
    )
    for row in _rows("verbs")
)

LEMMAS = {form: noun.english[0] for noun in NOUNS for form in noun.english}
"""Every English form of a noun → its singular."""
NOUNS_OF: Mapping[tuple[Kind, bool | None], tuple[Noun, ...]] = {
    (kind, feminine): tuple(
        noun for noun in NOUNS if noun.kind is kind and feminine in (None, noun.feminine)
    )
    for kind in Kind
    for feminine in (None, False, True)
}
"""The nouns of a kind, of one gender (True: feminine) or of both (None)."""
VERBS_FOR: Mapping[tuple[Kind, Kind | None], tuple[Verb, ...]] = {
    (subject, thing): tuple(
        verb
        for verb in VERBS
        if subject in verb.subjects and (thing in verb.objects if thing else not verb.objects)
    )
    for subject in Kind
    for thing in (None, *Kind)
}
"""The verbs that a subject of one kind can have with an object of another (None: no object)."""


def _of_every_kind(adjectives: Sequence[Adjective]) -> Mapping[Kind, tuple[Adjective, ...]]:
    return {kind: tuple(each for each in adjectives if kind in each.kinds) for kind in Kind}


BEFORE_NOUN = _of_every_kind([each for each in ADJECTIVES if each.before])
AFTER_NOUN = _of_every_kind([each for each in ADJECTIVES if not each.before])
PREDICATES = _of_every_kind([each for each in ADJECTIVES if each.predicative])


def _distinguishes(adjective: Adjective, kind: Kind, other: Kind) -> bool:
    """Say whether an adjective describes one kind, never another, and one sort of noun only."""
    one_sort = adjective.kinds <= ANIMATE or len(adjective.kinds) == 1
    never_other = other not in adjective.kinds | adjective.also
    return one_sort and adjective.predicative and kind in adjective.kinds and never_other


DISTINCTIVE: Mapping[tuple[Kind, Kind], tuple[Adjective, ...]] = {
    (kind, other): tuple(each for each in ADJECTIVES if _distinguishes(each, kind, other))
    for kind in Kind
    for other in Kind
}
"""For a kind beside another the predicates that tell which of them a pronoun means: an animal is
"tired" and a street never is, a street is "wide" and an animal never is."""
