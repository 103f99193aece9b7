from collections import Counter

import pytest

from core.tasks.translation.adjectives import ADJECTIVES, TELLING
from core.tasks.translation.ambiguous import PAIRS
from core.tasks.translation.names import VOCABULARY
from core.tasks.translation.nouns import LEMMAS, NOUNS
from core.tasks.translation.verbs import VERBS
from core.tasks.translation.words import ANIMATE, Kind

ADJECTIVE = {adjective.english: adjective for adjective in ADJECTIVES}
NOUN = {noun.english[0]: noun for noun in NOUNS}

# Written down a second time, from the grammar book and not from the lexicon.
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
VERBS_WITH_ÊTRE = "arrive, leave, fall, stay, enter, go out, come back"
BEFORE_THE_NOUN = "big small young old beautiful good bad new long fat"


def test_there_are_sixty_nouns_of_both_genders():
    genders = Counter(noun.feminine for noun in NOUNS)
    assert len(NOUN) == len(NOUNS) >= 60
    assert min(genders.values()) >= 30


def test_every_kind_of_noun_has_both_genders_about_equally():
    for kind in Kind:
        feminine = [noun.feminine for noun in NOUNS if noun.kind is kind]
        assert 0.4 <= sum(feminine) / len(feminine) <= 0.6


def test_nouns_have_the_gender_of_the_dictionary():
    assert {noun.english[0] for noun in NOUNS if noun.feminine} == set(FEMININE.split())


def test_an_english_form_is_singular_or_plural_of_one_noun():
    assert len(LEMMAS) == 2 * len(NOUNS)


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.english[0])
def test_french_plural_of_a_noun_follows_the_rule_or_is_a_listed_exception(noun):
    singular, plural = noun.french
    regular = singular if singular[-1] in "sxz" else singular + "s"
    assert plural == IRREGULAR_PLURALS.get(singular, regular)


def test_there_are_twenty_five_verbs_and_several_take_être():
    assert len({verb.base for verb in VERBS}) == len(VERBS) >= 25
    assert {verb.base for verb in VERBS if verb.etre} == set(VERBS_WITH_ÊTRE.split(", "))


def test_no_verb_with_être_has_an_object():
    assert not any(verb.objects for verb in VERBS if verb.etre)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.base)
def test_participle_has_the_endings_of_gender_and_number(verb):
    masculine, feminine, masculines, feminines = verb.participle
    assert feminine == masculine + "e"
    assert feminines == masculine + "es"
    assert masculines == (masculine if masculine in {"pris", "surpris"} else masculine + "s")


# Third person singular and plural, from the grammar book.
PRESENT = {
    "voir": "voit voient", "choisir": "choisit choisissent", "suivre": "suit suivent",
    "acheter": "achète achètent", "perdre": "perd perdent", "prendre": "prend prennent",
    "effrayer": "effraie effraient", "surprendre": "surprend surprennent",
    "dormir": "dort dorment", "courir": "court courent", "attendre": "attend attendent",
    "rire": "rit rient", "disparaître": "disparaît disparaissent", "partir": "part partent",
    "sortir": "sort sortent", "revenir": "revient reviennent", "connaître": "connaît connaissent",
    "vouloir": "veut veulent",
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.base)
def test_french_present_follows_the_rule_or_is_a_listed_exception(verb):
    stem = verb.participle[0].removesuffix("é")
    forms = " ".join(verb.present)
    assert forms == f"{stem}e {stem}ent" or forms in PRESENT.values()


def test_every_listed_exception_is_a_verb_of_the_lexicon():
    assert set(PRESENT.values()) <= {" ".join(verb.present) for verb in VERBS}


def test_states_are_told_in_the_imperfect():
    states = {verb.base: verb.imperfect for verb in VERBS if verb.imperfect}
    assert states == {
        "like": ("aimait", "aimaient"),
        "know": ("connaissait", "connaissaient"),
        "want": ("voulait", "voulaient"),
    }


def test_english_third_person_is_regular():
    thirds = {verb.base: verb.third for verb in VERBS}
    listed = "crosses washes touches pushes carries goes"
    irregular = {third.split()[0] for base, third in thirds.items()} - {
        base.split()[0] + "s" for base in thirds
    }
    assert irregular == set(listed.split())


def test_there_are_thirty_adjectives_before_and_after_the_noun():
    assert len(ADJECTIVE) == len(ADJECTIVES) >= 30
    before = {adjective.english for adjective in ADJECTIVES if adjective.before}
    assert before == set(BEFORE_THE_NOUN.split())


def regular_feminine(masculine):
    if masculine in IRREGULAR_FEMININES:
        return IRREGULAR_FEMININES[masculine]
    if masculine.endswith("eux"):
        return masculine[:-1] + "se"
    return masculine if masculine.endswith("e") else masculine + "e"


@pytest.mark.parametrize("adjective", ADJECTIVES, ids=lambda adjective: adjective.english)
def test_adjective_forms_follow_the_rule_or_are_listed_exceptions(adjective):
    masculine, feminine, masculines, feminines = adjective.french
    assert feminine == regular_feminine(masculine)
    assert feminines == feminine + "s"
    if masculine.endswith("eau"):
        assert masculines == masculine + "x"
    else:
        assert masculines == (masculine if masculine[-1] in "sx" else masculine + "s")


def test_three_adjectives_have_a_form_before_a_vowel():
    liaison = {
        adjective.english: adjective.liaison
        for adjective in ADJECTIVES
        if adjective.liaison != adjective.french[0]
    }
    assert liaison == {"old": "vieil", "beautiful": "bel", "new": "nouvel"}


def test_telling_adjectives_are_of_one_sort_and_never_of_the_other_kind():
    sorts = [ANIMATE, *({kind} for kind in Kind if kind not in ANIMATE)]
    for (kind, other), adjectives in TELLING.items():
        for adjective in adjectives:
            assert sum(bool(adjective.kinds & sort) for sort in sorts) == 1
            assert kind in adjective.kinds
            assert other not in adjective.kinds
    assert ADJECTIVE["tired"] in TELLING[Kind.ANIMAL, Kind.PLACE]
    assert ADJECTIVE["wide"] in TELLING[Kind.PLACE, Kind.ANIMAL]


@pytest.mark.parametrize("english", ["heavy", "light", "fragile", "expensive"])
def test_what_may_be_said_of_an_animal_does_not_tell_a_thing_from_it(english):
    adjective = ADJECTIVE[english]
    assert adjective not in TELLING[Kind.THING, Kind.ANIMAL]
    assert adjective in TELLING[Kind.THING, Kind.PLACE]


def test_every_kind_has_several_telling_adjectives_beside_each_that_it_meets():
    met = {pair for pairs in PAIRS.values() for pair in pairs}
    met |= {(other, kind) for kind, other in met}
    assert min(len(TELLING[pair]) for pair in met) >= 5


def test_no_english_word_is_both_a_noun_and_another_word():
    verbs = {word for verb in VERBS for word in f"{verb.base} {verb.third} {verb.past}".split()}
    assert not LEMMAS.keys() & (verbs | ADJECTIVE.keys())
    assert not verbs & ADJECTIVE.keys()
    assert LEMMAS.keys() | verbs | ADJECTIVE.keys() < VOCABULARY
