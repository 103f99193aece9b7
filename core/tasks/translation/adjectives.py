"""The adjectives: their four French forms, their place, and what they are said of."""

from collections.abc import Mapping

from core.tasks.translation.words import ANIMATE, ANYTHING, Adjective, Forms, Kind

_PLACE = frozenset({Kind.PLACE})
_THING = frozenset({Kind.THING})
_FOOD = frozenset({Kind.FOOD})
_ANIMAL = frozenset({Kind.ANIMAL})
_COLOURED = _ANIMAL | _THING | _FOOD
_NOWHERE: frozenset[Kind] = frozenset()


def _forms(french: str) -> Forms:
    masculine, feminine, masculines, feminines = french.split()
    return masculine, feminine, masculines, feminines


def _adjective(  # noqa: PLR0913
    english: str,
    french: str,
    kinds: frozenset[Kind],
    *,
    before: bool = False,
    predicative: bool = True,
    gradable: bool = True,
    having: str = "",
    also: frozenset[Kind] = _NOWHERE,
    exceptions: Mapping[str, Forms] | None = None,
) -> Adjective:
    """Read four forms, or five: the fifth is the masculine before a vowel sound."""
    words = french.split()
    forms, liaison = _forms(" ".join(words[:4])), words[-1] if len(words) > 4 else words[0]
    said_of = (kinds, before, liaison, predicative, gradable)
    return Adjective(english, forms, *said_of, having, also, exceptions or {})


# "un grand homme" is a great man; what is round or small for its kind is "gros" when it is big.
_GROS = _forms("gros grosse gros grosses")
_ROUND = ("ant", "bee", "mouse", "frog", "rabbit", "hen", "turtle", "jewel")
_A_SEC: Forms = ("à sec",) * 4

# Beauty, age, goodness and size stand before the noun, all others after it.
_BEFORE = (
    _adjective(
        "big",
        "grand grande grands grandes",
        _ANIMAL | _PLACE | _THING,
        before=True,
        exceptions=dict.fromkeys(_ROUND, _GROS),
    ),
    _adjective("small", "petit petite petits petites", ANYTHING, before=True),
    _adjective("young", "jeune jeune jeunes jeunes", ANIMATE, before=True),
    _adjective("old", "vieux vieille vieux vieilles vieil", ANYTHING, before=True),
    _adjective("beautiful", "beau belle beaux belles bel", ANYTHING, before=True),
    _adjective("good", "bon bonne bons bonnes", _FOOD, before=True, also=ANYTHING),
    _adjective("bad", "mauvais mauvaise mauvais mauvaises", _FOOD, before=True, also=ANYTHING),
    # As a predicate "new" may be "neuf" as well as "nouveau".
    _adjective(
        "new",
        "nouveau nouvelle nouveaux nouvelles nouvel",
        ANYTHING - _FOOD,
        before=True,
        predicative=False,
    ),
    _adjective("long", "long longue longs longues", _PLACE, before=True),
    _adjective("fat", "gros grosse gros grosses", _ANIMAL, before=True),
)
_AFTER = (
    _adjective("red", "rouge rouge rouges rouges", _COLOURED),
    _adjective("green", "vert verte verts vertes", _COLOURED),
    _adjective("black", "noir noire noirs noires", _COLOURED),
    _adjective("white", "blanc blanche blancs blanches", _COLOURED),
    _adjective("grey", "gris grise gris grises", _COLOURED),
    _adjective("strange", "étrange étrange étranges étranges", ANYTHING),
    _adjective("dangerous", "dangereux dangereuse dangereux dangereuses", ANYTHING - _FOOD),
    _adjective(
        "dry",
        "sec sèche secs sèches",
        _PLACE | _FOOD,
        exceptions=dict.fromkeys(("river", "canal"), _A_SEC),
    ),
    _adjective("tired", "fatigué fatiguée fatigués fatiguées", ANIMATE),
    _adjective("hungry", "affamé affamée affamés affamées", ANIMATE, having="faim"),
    _adjective("thirsty", "assoiffé assoiffée assoiffés assoiffées", ANIMATE, having="soif"),
    _adjective("sick", "malade malade malades malades", ANIMATE),
    _adjective("sad", "triste triste tristes tristes", ANIMATE),
    _adjective("happy", "heureux heureuse heureux heureuses", ANIMATE),
    _adjective("nervous", "nerveux nerveuse nerveux nerveuses", ANIMATE),
    _adjective("jealous", "jaloux jalouse jaloux jalouses", ANIMATE),
    _adjective("curious", "curieux curieuse curieux curieuses", ANIMATE),
    _adjective("proud", "fier fière fiers fières", ANIMATE),
    _adjective("gentle", "doux douce doux douces", ANIMATE),
    _adjective("wide", "large large larges larges", _PLACE),
    _adjective("narrow", "étroit étroite étroits étroites", _PLACE),
    _adjective("dark", "sombre sombre sombres sombres", _PLACE),
    _adjective("deserted", "désert déserte déserts désertes", _PLACE, gradable=False),
    _adjective("flooded", "inondé inondée inondés inondées", _PLACE, gradable=False),
    _adjective("muddy", "boueux boueuse boueux boueuses", _PLACE, also=_ANIMAL),
    _adjective("heavy", "lourd lourde lourds lourdes", _THING, also=ANIMATE | _FOOD),
    _adjective("light", "léger légère légers légères", _THING, also=ANIMATE | _FOOD),
    _adjective("fragile", "fragile fragile fragiles fragiles", _THING, also=ANIMATE),
    _adjective("expensive", "cher chère chers chères", _THING, also=_ANIMAL | _FOOD),
    _adjective("broken", "cassé cassée cassés cassées", _THING, gradable=False),
    _adjective("damaged", "abîmé abîmée abîmés abîmées", _THING, also=_PLACE | _FOOD),
    _adjective("dusty", "poussiéreux poussiéreuse poussiéreux poussiéreuses", _THING, also=_PLACE),
    _adjective("modern", "moderne moderne modernes modernes", _THING, also=_PLACE),
    _adjective("old-fashioned", "démodé démodée démodés démodées", _THING),
    _adjective("ripe", "mûr mûre mûrs mûres", _FOOD),
    _adjective("sweet", "sucré sucrée sucrés sucrées", _FOOD, also=ANIMATE),
    _adjective("bitter", "amer amère amers amères", _FOOD),
    _adjective("fresh", "frais fraîche frais fraîches", _FOOD),
    _adjective("delicious", "délicieux délicieuse délicieux délicieuses", _FOOD, gradable=False),
    _adjective("rotten", "pourri pourrie pourris pourries", _FOOD, gradable=False),
)

ADJECTIVES: tuple[Adjective, ...] = (*_BEFORE, *_AFTER)


def _of_every_kind(adjectives: tuple[Adjective, ...]) -> dict[Kind, tuple[Adjective, ...]]:
    return {
        kind: tuple(adjective for adjective in adjectives if kind in adjective.kinds)
        for kind in Kind
    }


# "un vieux garçon" is a bachelor, "une vieille fille" a spinster, "une belle-sœur" a sister-in-law,
# "une petite sœur" a younger sister, "un citron vert" a lime and "un livre blanc" a report.
SET_PHRASES = frozenset(
    {
        ("old", "boy"),
        ("old", "girl"),
        ("beautiful", "sister"),
        ("beautiful", "brother"),
        ("small", "sister"),
        ("small", "brother"),
        ("green", "lemon"),
        ("white", "book"),
    }
)
"""English adjective and noun whose French words together mean something else."""

BEFORE_NOUN = _of_every_kind(_BEFORE)
AFTER_NOUN = _of_every_kind(_AFTER)
PREDICATES = _of_every_kind(tuple(each for each in ADJECTIVES if each.predicative))


def _tells(adjective: Adjective, kind: Kind, other: Kind) -> bool:
    """Say whether the adjective is said of one kind and never of another.

    It must belong to one sort of noun only: animate, place, thing or food.
    """
    one_sort = adjective.kinds <= ANIMATE or len(adjective.kinds) == 1
    return (
        one_sort
        and adjective.predicative
        and kind in adjective.kinds
        and other not in adjective.kinds | adjective.also
    )


TELLING: dict[tuple[Kind, Kind], tuple[Adjective, ...]] = {
    (kind, other): tuple(each for each in ADJECTIVES if _tells(each, kind, other))
    for kind in Kind
    for other in Kind
}
"""For a kind beside another the predicates that tell which of them a pronoun means: "it was tired"
is said of an animal and never of a street, "it was wide" of a street and never of an animal."""
