"""The verbs: English base and past, French participle and auxiliary, subjects and objects."""

from core.tasks.translation.words import ANIMATE, ANYTHING, Kind, Verb

_NOTHING: frozenset[Kind] = frozenset()
_PLACE = frozenset({Kind.PLACE})
_THING = frozenset({Kind.THING})
_FOOD = frozenset({Kind.FOOD})
_ANIMAL = frozenset({Kind.ANIMAL})
_GOODS = _THING | _FOOD


def _verb(
    english: str,
    participle: str,
    objects: frozenset[Kind] = _NOTHING,
    *,
    etre: bool = False,
    subjects: frozenset[Kind] = ANIMATE,
) -> Verb:
    """Read "base, past" and the masculine participle, whose other forms are regular."""
    base, past = english.split(", ")
    # A participle in -s has no other masculine plural: "pris, prise, pris, prises".
    masculines = participle if participle.endswith("s") else participle + "s"
    forms = (participle, participle + "e", masculines, participle + "es")
    return Verb(base, past, forms, etre, subjects, objects)


VERBS: tuple[Verb, ...] = (
    _verb("see, saw", "vu", ANYTHING),
    _verb("find, found", "trouvé", ANYTHING),
    _verb("avoid, avoided", "évité", ANYTHING),
    _verb("like, liked", "aimé", ANYTHING),
    _verb("choose, chose", "choisi", ANYTHING),
    _verb("follow, followed", "suivi", ANIMATE | _PLACE),
    _verb("touch, touched", "touché", ANIMATE | _GOODS),
    _verb("push, pushed", "poussé", ANIMATE | _THING),
    _verb("wash, washed", "lavé", _ANIMAL | _GOODS),
    _verb("buy, bought", "acheté", _ANIMAL | _GOODS),
    _verb("lose, lost", "perdu", _THING),
    _verb("break, broke", "cassé", _THING),
    _verb("hide, hid", "caché", _GOODS),
    _verb("carry, carried", "porté", _GOODS),
    _verb("take, took", "pris", _GOODS),
    _verb("steal, stole", "volé", _GOODS),
    _verb("cross, crossed", "traversé", _PLACE),
    _verb("eat, ate", "mangé", _FOOD),
    _verb("taste, tasted", "goûté", _FOOD),
    _verb("frighten, frightened", "effrayé", ANIMATE, subjects=ANYTHING - _FOOD),
    _verb("surprise, surprised", "surpris", ANIMATE, subjects=ANYTHING),
    _verb("wake, woke", "réveillé", ANIMATE, subjects=ANIMATE | _THING),
    _verb("stop, stopped", "arrêté", ANIMATE, subjects=ANIMATE | _THING),
    _verb("block, blocked", "bloqué", _PLACE, subjects=_ANIMAL | _THING),
    _verb("sleep, slept", "dormi"),
    _verb("sing, sang", "chanté"),
    _verb("work, worked", "travaillé"),
    _verb("run, ran", "couru"),
    _verb("wait, waited", "attendu"),
    _verb("laugh, laughed", "ri"),
    _verb("disappear, disappeared", "disparu", subjects=ANYTHING),
    _verb("change, changed", "changé", subjects=ANYTHING),
    _verb("arrive, arrived", "arrivé", etre=True),
    _verb("leave, left", "parti", etre=True),
    _verb("fall, fell", "tombé", etre=True, subjects=ANYTHING - _PLACE),
    _verb("stay, stayed", "resté", etre=True),
    _verb("enter, entered", "entré", etre=True),
    _verb("go out, went out", "sorti", etre=True),
    _verb("come back, came back", "revenu", etre=True),
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
