"""The verbs: English base and past, French participle and present, subjects and objects."""

from core.tasks.translation.words import ANIMATE, ANYTHING, Kind, Verb

_NOTHING: frozenset[Kind] = frozenset()
_PLACE = frozenset({Kind.PLACE})
_THING = frozenset({Kind.THING})
_FOOD = frozenset({Kind.FOOD})
_ANIMAL = frozenset({Kind.ANIMAL})
_GOODS = _THING | _FOOD


def _verb(  # noqa: PLR0913
    english: str,
    participle: str,
    objects: frozenset[Kind] = _NOTHING,
    *,
    present: str = "",
    imperfect: str = "",
    etre: bool = False,
    subjects: frozenset[Kind] = ANIMATE,
) -> Verb:
    """Read "base, past" and the masculine participle, whose other forms are regular.

    The French present and imperfect have two forms, singular and plural; the present of most verbs
    in -er is regular.
    """
    base, past = english.split(", ")
    # A participle in -s has no other masculine plural: "pris, prise, pris, prises".
    masculines = participle if participle.endswith("s") else participle + "s"
    forms = (participle, participle + "e", masculines, participle + "es")
    stem = participle.removesuffix("é")
    is_now = _two(present or f"{stem}e {stem}ent")
    lasted = _two(imperfect) if imperfect else None
    return Verb(base, _third(base), past, is_now, lasted, forms, etre, subjects, objects)


def _two(forms: str) -> tuple[str, str]:
    singular, plural = forms.split()
    return singular, plural


def _third(base: str) -> str:
    """Return the third person singular.

    >>> [_third(base) for base in ("cross", "carry", "go out", "buy", "stay")]
    ['crosses', 'carries', 'goes out', 'buys', 'stays']
    """
    verb, space, rest = base.partition(" ")
    if verb.endswith("y") and verb[-2] not in "aeou":
        return f"{verb[:-1]}ies{space}{rest}"
    return f"{verb}{'es' if verb.endswith(('s', 'sh', 'ch', 'o')) else 's'}{space}{rest}"


VERBS: tuple[Verb, ...] = (
    _verb("see, saw", "vu", ANYTHING, present="voit voient"),
    _verb("find, found", "trouvé", ANYTHING),
    _verb("avoid, avoided", "évité", ANYTHING),
    _verb("like, liked", "aimé", ANYTHING, imperfect="aimait aimaient"),
    _verb(
        "know, knew",
        "connu",
        ANIMATE | _PLACE,
        present="connaît connaissent",
        imperfect="connaissait connaissaient",
    ),
    _verb(
        "want, wanted",
        "voulu",
        _ANIMAL | _GOODS,
        present="veut veulent",
        imperfect="voulait voulaient",
    ),
    _verb("choose, chose", "choisi", ANYTHING, present="choisit choisissent"),
    _verb("follow, followed", "suivi", ANIMATE | _PLACE, present="suit suivent"),
    _verb("touch, touched", "touché", ANIMATE | _GOODS),
    _verb("push, pushed", "poussé", ANIMATE | _THING),
    _verb("wash, washed", "lavé", _ANIMAL | _GOODS),
    _verb("buy, bought", "acheté", _ANIMAL | _GOODS, present="achète achètent"),
    _verb("lose, lost", "perdu", _THING, present="perd perdent"),
    _verb("break, broke", "cassé", _THING),
    _verb("hide, hid", "caché", _GOODS),
    _verb("carry, carried", "porté", _GOODS),
    _verb("take, took", "pris", _GOODS, present="prend prennent"),
    _verb("steal, stole", "volé", _GOODS),
    _verb("cross, crossed", "traversé", _PLACE),
    _verb("eat, ate", "mangé", _FOOD),
    _verb("taste, tasted", "goûté", _FOOD),
    _verb(
        "frighten, frightened",
        "effrayé",
        ANIMATE,
        present="effraie effraient",
        subjects=ANYTHING - _FOOD,
    ),
    _verb(
        "surprise, surprised",
        "surpris",
        ANIMATE,
        present="surprend surprennent",
        subjects=ANYTHING,
    ),
    _verb("wake, woke", "réveillé", ANIMATE, subjects=ANIMATE | _THING),
    _verb("stop, stopped", "arrêté", ANIMATE, subjects=ANIMATE | _THING),
    _verb("block, blocked", "bloqué", _PLACE, subjects=_ANIMAL | _THING),
    _verb("sleep, slept", "dormi", present="dort dorment"),
    _verb("sing, sang", "chanté"),
    _verb("work, worked", "travaillé"),
    _verb("run, ran", "couru", present="court courent"),
    _verb("wait, waited", "attendu", present="attend attendent"),
    _verb("laugh, laughed", "ri", present="rit rient"),
    _verb(
        "disappear, disappeared",
        "disparu",
        present="disparaît disparaissent",
        subjects=ANYTHING,
    ),
    _verb("change, changed", "changé", subjects=ANYTHING),
    _verb("arrive, arrived", "arrivé", etre=True),
    _verb("leave, left", "parti", present="part partent", etre=True),
    _verb("fall, fell", "tombé", etre=True, subjects=ANYTHING - _PLACE),
    _verb("stay, stayed", "resté", etre=True),
    _verb("enter, entered", "entré", etre=True),
    _verb("go out, went out", "sorti", present="sort sortent", etre=True),
    _verb("come back, came back", "revenu", present="revient reviennent", etre=True),
)

VERBS_FOR: dict[tuple[Kind, Kind | None], tuple[Verb, ...]] = {
    (subject, thing): tuple(
        verb
        for verb in VERBS
        if subject in verb.subjects and (thing in verb.objects if thing else not verb.objects)
    )
    for subject in Kind
    for thing in (None, *Kind)
}
"""The verbs that a subject of one kind can have with an object of another (None: no object)."""
