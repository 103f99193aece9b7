"""The lexicon against rules and exceptions that are written down here a second time."""

from core.tasks.translation.lexicon import (
    ADJECTIVES,
    ANIMATE,
    DISTINCTIVE,
    LEMMAS,
    NOUNS,
    VERBS,
    Kind,
)
from core.tasks.translation.names import VOCABULARY
from core.tasks.translation.patterns import PAIRS

ADJECTIVE = {adjective.english: adjective for adjective in ADJECTIVES}
IRREGULAR_PLURALS = {
    "animal": "animaux",
    "cheval": "chevaux",
    "canal": "canaux",
    "oiseau": "oiseaux",
    "chapeau": "chapeaux",
    "couteau": "couteaux",
    "bateau": "bateaux",
    "hibou": "hiboux",
    "bijou": "bijoux",
}
IRREGULAR_FEMININES = {
    "blanc": "blanche",
    "sec": "sèche",
    "frais": "fraîche",
    "doux": "douce",
    "jaloux": "jalouse",
    "vieux": "vieille",
    "beau": "belle",
    "nouveau": "nouvelle",
    "bon": "bonne",
    "gros": "grosse",
    "long": "longue",
    "fier": "fière",
    "cher": "chère",
    "amer": "amère",
    "léger": "légère",
}
FEMININE = (
    "girl woman queen princess sister aunt actress cow goat mouse hen bee turtle frog ant giraffe "
    "street road river forest valley avenue beach car box table chair suitcase lamp key bottle "
    "plate ladder apple orange pear carrot tomato cherry"
)
# Third person singular and plural.
IRREGULAR_PRESENT = (
    "voit voient, choisit choisissent, suit suivent, achète achètent, perd perdent, "
    "prend prennent, effraie effraient, surprend surprennent, dort dorment, court courent, "
    "attend attendent, rit rient, disparaît disparaissent, part partent, sort sortent, "
    "revient reviennent, connaît connaissent, veut veulent"
)


def test_nouns_have_the_gender_of_the_dictionary():
    assert {noun.english[0] for noun in NOUNS if noun.feminine} == set(FEMININE.split())


def test_french_plurals_follow_the_rule_or_are_listed_exceptions():
    for noun in NOUNS:
        singular, plural = noun.french
        regular = singular if singular[-1] in "sxz" else singular + "s"
        assert plural == IRREGULAR_PLURALS.get(singular, regular)


def test_french_verbs_follow_the_rule_or_are_listed_exceptions():
    for verb in VERBS:
        stem = verb.participle[0].removesuffix("é")
        forms = " ".join(verb.present)
        assert forms == f"{stem}e {stem}ent" or forms in IRREGULAR_PRESENT.split(", ")
    assert {verb.base for verb in VERBS if verb.imperfect} == {"like", "know", "want"}
    with_etre = {verb.base for verb in VERBS if verb.etre}
    assert with_etre == {"arrive", "leave", "fall", "stay", "enter", "go out", "come back"}
    assert not any(verb.objects for verb in VERBS if verb.etre)


def regular_feminine(masculine):
    if masculine.endswith("eux"):
        return masculine[:-1] + "se"
    return masculine if masculine.endswith("e") else masculine + "e"


def test_adjectives_follow_the_rule_or_are_listed_exceptions():
    for adjective in ADJECTIVES:
        masculine, feminine, masculines, feminines = adjective.french
        assert feminine == IRREGULAR_FEMININES.get(masculine, regular_feminine(masculine))
        assert feminines == feminine + "s"
        regular = masculine if masculine[-1] in "sx" else masculine + "s"
        assert masculines == (masculine + "x" if masculine.endswith("eau") else regular)
    before = {adjective.english for adjective in ADJECTIVES if adjective.before}
    assert ",".join(sorted(before)) == "bad,beautiful,big,fat,good,long,new,old,small,young"
    liaison = {each.before_vowel for each in ADJECTIVES} - {each.french[0] for each in ADJECTIVES}
    assert liaison == {"vieil", "bel", "nouvel"}


def test_distinctive_adjectives_are_of_one_sort_and_never_of_the_other_kind():
    sorts = [ANIMATE, *({kind} for kind in Kind if kind not in ANIMATE)]
    for (kind, other), adjectives in DISTINCTIVE.items():
        for adjective in adjectives:
            assert sum(bool(adjective.kinds & sort) for sort in sorts) == 1
            assert kind in adjective.kinds
            assert other not in adjective.kinds
    met = {pair for pairs in PAIRS.values() for pair in pairs}
    met |= {(other, kind) for kind, other in met}
    assert min(len(DISTINCTIVE[pair]) for pair in met) >= 5


def test_no_english_word_is_in_the_lexicon_twice():
    verbs = {word for verb in VERBS for word in f"{verb.base} {verb.third} {verb.past}".split()}
    assert len(LEMMAS) == 2 * len(NOUNS)
    assert not LEMMAS.keys() & (verbs | ADJECTIVE.keys())
    assert not verbs & ADJECTIVE.keys()
    assert LEMMAS.keys() | verbs | ADJECTIVE.keys() < VOCABULARY
