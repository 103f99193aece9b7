import random
import re
import unicodedata

import pytest

from core.tasks.translation import Translation, derivations
from core.tasks.translation.adjectives import ADJECTIVES
from core.tasks.translation.names import FUNCTION_WORDS, VOCABULARY, is_name
from core.tasks.translation.nouns import NOUNS
from core.tasks.translation.verbs import VERBS

VOWEL = "[aeiouâàéèêëîïôöûüœ]"
FRENCH_NOUN = {form: noun for noun in NOUNS for form in noun.french}
FRENCH_ADJECTIVES = {form for adjective in ADJECTIVES for form in adjective.french}
SUBJECT = r"(?P<article>L'|Le |La |Les )(?P<noun>\w+)"
WAS = r"(?:n'(?P<ne>était|étaient) pas|(?P<yes>était|étaient))(?: très| trop)? (?P<adjective>\w+)"
WENT = r"(?:n'est pas|est|ne sont pas|sont) (?P<participle>\w+)"


def french_forms(words, index):
    return {form for word in words for position, form in enumerate(word) if position == index}


def test_one_english_sentence_never_has_two_french_sentences(samples):
    french = {}
    for sample in samples:
        assert french.setdefault(sample.source, sample.target) == sample.target


def test_sentences_begin_with_a_capital_and_end_with_a_mark(samples):
    for sample in samples:
        assert sample.source[0].isupper()
        assert sample.target[0].isupper()
        assert re.search(r"\w\.$|\w\?$", sample.source)
        assert re.search(r"\w\.$|\w \?$", sample.target)
        assert sample.source.endswith("?") == sample.target.endswith("?")


def test_text_is_composed_unicode_with_single_spaces_and_straight_apostrophes(samples):
    for sample in samples:
        for text in (sample.source, sample.target):
            assert unicodedata.normalize("NFC", text) == text
            assert not re.search(r"\s\s|^\s|\s$|[\u2019\u00a0\u202f]| [.,]", text)


def test_sentences_have_three_to_sixteen_words(samples):
    lengths = [len(sample.source.split()) for sample in samples]
    assert min(lengths) >= 3
    assert max(lengths) <= 16


def test_little_words_elide_before_vowels_and_only_there(samples):
    clash = re.compile(rf"\b(le|la|ne|que|de) ({VOWEL}|hommes?\b)", re.IGNORECASE)
    needless = re.compile(rf"\b(l|n|qu|d)'(?!{VOWEL}|hommes?\b)", re.IGNORECASE)
    for sample in samples:
        assert not clash.search(sample.target), sample.target
        assert not needless.search(sample.target), sample.target


def test_adjectives_take_their_form_before_vowels_and_only_there(samples):
    clash = re.compile(rf"\b(beau|nouveau|vieux) (?!ananas\b)({VOWEL}\w*|homme)\b", re.IGNORECASE)
    needless = re.compile(rf"\b(bel|nouvel|vieil) (?!{VOWEL}|homme\b)", re.IGNORECASE)
    nouns = {noun.french[0] for noun in NOUNS}
    for sample in samples:
        found = clash.search(sample.target)
        assert not (found and found[2] in nouns), sample.target
        assert not needless.search(sample.target), sample.target


def test_indefinite_articles_become_de_where_french_demands_it(samples):
    before = "|".join(french for each in ADJECTIVES if each.before for french in each.french[2:])
    for sample in samples:
        assert not re.search(rf"\bdes ({before})\b", sample.target, re.IGNORECASE), sample.target
        assert not re.search(r"\bpas (?!et |quand )\w+ (un|une|des) ", sample.target), sample.target


def test_an_stands_before_vowels_and_only_there(samples):
    for sample in samples:
        assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", sample.source, re.IGNORECASE)


def test_every_english_word_is_of_the_vocabulary_or_a_name(samples):
    for sample in samples:
        for word in re.findall(r"[^\s.,?]+", sample.source):
            assert word in VOCABULARY or word.lower() in FUNCTION_WORDS or is_name(word)


def test_names_are_copied_unchanged(samples):
    for sample in samples:
        for word in re.findall(r"[^\s.,?]+", sample.source):
            if is_name(word):
                assert re.search(rf"(?<!\w){word}(?!\w)", sample.target)


def test_predicates_agree_with_a_noun_subject(samples):
    checked = 0
    for sample in samples:
        found = re.fullmatch(rf"{SUBJECT} {WAS}\.", sample.target)
        if found:
            noun, plural = FRENCH_NOUN[found["noun"]], found["article"] == "Les "
            forms = [adjective.french for adjective in ADJECTIVES]
            assert found["adjective"] in french_forms(forms, noun.feminine + 2 * plural)
            assert (found["ne"] or found["yes"]) == ("était", "étaient")[plural]
            checked += 1
    assert checked > 30


def test_participles_with_être_agree_with_a_noun_subject(samples):
    checked = 0
    for sample in samples:
        found = re.fullmatch(rf"{SUBJECT} {WENT}\.", sample.target)
        if found:
            noun, plural = FRENCH_NOUN[found["noun"]], found["article"] == "Les "
            # In the present an adjective stands there.
            words = ADJECTIVES if re.search(r" (is|are)(n't)? ", sample.source) else VERBS
            forms = [each.french if each in ADJECTIVES else each.participle for each in words]
            assert found["participle"] in french_forms(forms, noun.feminine + 2 * plural)
            checked += 1
    assert checked > 30


def test_predicates_agree_with_a_pronoun_subject(samples):
    checked = 0
    for sample in samples:
        found = re.search(rf"\b(?P<pronoun>ils?|elles?) {WAS} ?[.?]$", sample.target)
        if found:
            index = ("il", "elle", "ils", "elles").index(found["pronoun"])
            forms = [adjective.french for adjective in ADJECTIVES]
            assert found["adjective"] in french_forms(forms, index)
            checked += 1
    assert checked > 5000


def test_nothing_is_denied_by_halves(samples):
    for sample in samples:
        denied = len(re.findall(r"n't\b|\bnot\b", sample.source))
        assert len(re.findall(r"\b(?:ne |n')", sample.target, re.IGNORECASE)) == denied
        assert len(re.findall(r"\bpas\b", sample.target)) == denied


def test_contracted_and_full_negation_are_equally_frequent(samples):
    statements = [sample.source for sample in samples if sample.source.endswith(".")]
    contracted = sum("didn't" in source for source in statements)
    full = sum("did not" in source for source in statements)
    assert 0.9 < contracted / full < 1.1


@pytest.mark.parametrize(
    "opening",
    ["The ", "A", "Some ", "Did ", "Didn't ", "Was ", "Who ", "Why ", "When ", "Because "],
)
def test_every_opening_occurs(samples, opening):
    assert any(sample.source.startswith(opening) for sample in samples)


def test_random_sentences_are_derived_as_they_were_drawn(samples):
    for sample in samples[:60]:
        assert derivations(sample.source) == [sample]


def test_samples_depend_on_the_generator_alone():
    task = Translation()
    state = random.getstate()
    first = [task.sample(rng) for rng in [random.Random(3)] for _ in range(50)]
    again = [task.sample(rng) for rng in [random.Random(3)] for _ in range(50)]
    other = [task.sample(rng) for rng in [random.Random(4)] for _ in range(50)]
    assert first == again != other
    assert random.getstate() == state
