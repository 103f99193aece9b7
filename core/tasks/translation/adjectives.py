"""The adjectives: their four French forms, their place, and what they are said of."""

from core.tasks.translation.words import ANIMATE, ANYTHING, Adjective, Kind

_PLACE = frozenset({Kind.PLACE})
_THING = frozenset({Kind.THING})
_FOOD = frozenset({Kind.FOOD})
_ANIMAL = frozenset({Kind.ANIMAL})
_COLOURED = _ANIMAL | _THING | _FOOD


def _adjective(
    english: str,
    french: str,
    kinds: frozenset[Kind],
    *,
    before: bool = False,
    predicative: bool = True,
    gradable: bool = True,
) -> Adjective:
    """Read four forms, or five: the fifth is the masculine before a vowel sound."""
    masculine, feminine, masculines, feminines, *liaison = french.split()
    forms = (masculine, feminine, masculines, feminines)
    euphonic = liaison[0] if liaison else masculine
    return Adjective(english, forms, kinds, before, euphonic, predicative, gradable)


# Beauty, age, goodness and size stand before the noun, all others after it.
_BEFORE = (
    # "un grand homme" is a great man, and a big apple is "une grosse pomme".
    _adjective("big", "grand grande grands grandes", _ANIMAL | _PLACE | _THING, before=True),
    _adjective("small", "petit petite petits petites", ANYTHING, before=True),
    _adjective("young", "jeune jeune jeunes jeunes", ANIMATE, before=True),
    _adjective("old", "vieux vieille vieux vieilles vieil", ANYTHING, before=True),
    _adjective("beautiful", "beau belle beaux belles bel", ANYTHING, before=True),
    _adjective("good", "bon bonne bons bonnes", _THING | _FOOD, before=True),
    _adjective("bad", "mauvais mauvaise mauvais mauvaises", _THING | _FOOD, before=True),
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
    _adjective("dry", "sec sèche secs sèches", _PLACE | _FOOD),
    # Where French says "avoir faim" or "avoir peur", an adjective with "être" is taken.
    _adjective("tired", "fatigué fatiguée fatigués fatiguées", ANIMATE),
    _adjective("hungry", "affamé affamée affamés affamées", ANIMATE),
    _adjective("thirsty", "assoiffé assoiffée assoiffés assoiffées", ANIMATE),
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
    _adjective("muddy", "boueux boueuse boueux boueuses", _PLACE),
    _adjective("heavy", "lourd lourde lourds lourdes", _THING),
    _adjective("light", "léger légère légers légères", _THING),
    _adjective("fragile", "fragile fragile fragiles fragiles", _THING),
    _adjective("expensive", "cher chère chers chères", _THING),
    _adjective("broken", "cassé cassée cassés cassées", _THING, gradable=False),
    _adjective("ripe", "mûr mûre mûrs mûres", _FOOD),
    _adjective("sweet", "sucré sucrée sucrés sucrées", _FOOD),
    _adjective("bitter", "amer amère amers amères", _FOOD),
    _adjective("fresh", "frais fraîche frais fraîches", _FOOD),
    _adjective("rotten", "pourri pourrie pourris pourries", _FOOD, gradable=False),
)

ADJECTIVES: tuple[Adjective, ...] = (*_BEFORE, *_AFTER)


def _of_every_kind(adjectives: tuple[Adjective, ...]) -> dict[Kind, tuple[Adjective, ...]]:
    return {
        kind: tuple(adjective for adjective in adjectives if kind in adjective.kinds)
        for kind in Kind
    }


# "un vieux garçon" is a bachelor, "une vieille fille" a spinster, "un citron vert" a lime and "un
# livre blanc" a report.
SET_PHRASES = frozenset({("old", "boy"), ("old", "girl"), ("green", "lemon"), ("white", "book")})
"""English adjective and noun whose French words together mean something else."""

BEFORE_NOUN = _of_every_kind(_BEFORE)
AFTER_NOUN = _of_every_kind(_AFTER)
PREDICATES = _of_every_kind(tuple(each for each in ADJECTIVES if each.predicative))


def _tells(adjective: Adjective) -> bool:
    """Say whether the adjective belongs to one sort of noun only: animate, place, thing or food."""
    return adjective.kinds <= ANIMATE or len(adjective.kinds) == 1


TELLING = _of_every_kind(tuple(each for each in ADJECTIVES if each.predicative and _tells(each)))
"""For each kind the predicates that tell which noun a pronoun means: "it was tired" is said of an
animal and never of a street, "it was wide" of a street and never of an animal."""
