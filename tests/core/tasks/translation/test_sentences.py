import random
import re
import unicodedata

from core.tasks.translation.lexicon import LEMMAS, NOUNS
from core.tasks.translation.names import FUNCTION_WORDS, VOCABULARY, invented, is_feminine, is_name

VOWEL = "[aeiouâàéèêëîïôöûüœ]"
NOUN = {noun.english[0]: noun for noun in NOUNS}
FRENCH_WORD = r"[lnd]'|qu'|est-ce|[^\s.,?']+"


def test_one_english_sentence_never_has_two_french_sentences(samples):
    french = {}
    for sample in samples:
        assert french.setdefault(sample.source, sample.target) == sample.target


def test_little_words_elide_before_vowels_and_only_there(samples):
    clash = re.compile(rf"\b(le|la|ne|que|de) ({VOWEL}|hommes?\b)", re.IGNORECASE)
    needless = re.compile(rf"\b(l|n|qu|d)'(?!{VOWEL}|hommes?\b)", re.IGNORECASE)
    for sample in samples:
        assert not clash.search(sample.target), sample.target
        assert not needless.search(sample.target), sample.target


def test_every_english_word_is_in_the_vocabulary_or_a_name_that_is_copied(samples):
    for sample in samples:
        for word in re.findall(r"[^\s.,?]+", sample.source):
            if is_name(word):
                assert re.search(rf"(?<!\w){word}(?!\w)", sample.target)
            else:
                assert word in VOCABULARY or word.lower() in FUNCTION_WORDS


def spans_of(text, pattern):
    return {match.span() for match in re.finditer(pattern, text, re.IGNORECASE)}


def bounds(span):
    return span.start, span.end


def test_every_word_of_both_sides_has_a_link_and_nouns_are_linked_to_their_translation(samples):
    for sample in samples[:4000]:
        words = [spans_of(sample.source, r"[^\s.,?]+"), spans_of(sample.target, FRENCH_WORD)]
        assert {bounds(link.source) for link in sample.links} == words[0]
        assert {bounds(link.target) for link in sample.links} == words[1]
        for link in sample.links:
            english = link.source.of(sample.source)
            if english in LEMMAS:
                noun = NOUN[LEMMAS[english]]
                assert link.target.of(sample.target) == noun.french[english != noun.english[0]]


def test_every_pronoun_has_one_reference_and_the_right_translation(samples):
    for sample in samples:
        pronouns = spans_of(sample.source, r"\b(he|she|it|they)\b")
        assert {bounds(reference.pronoun) for reference in sample.references} == pronouns
        for reference in sample.references:
            assert reference.antecedent in reference.nouns
            noun = NOUN.get(LEMMAS.get(reference.antecedent.of(sample.source)))
            name = reference.antecedent.of(sample.source)
            feminine = noun.feminine if noun else is_feminine(name)
            plural = reference.pronoun.of(sample.source) == "they"
            french = ("il", "elle", "ils", "elles")[feminine + 2 * plural]
            assert reference.target.of(sample.target) == french


def test_ambiguous_pronouns_stand_for_one_of_two_nouns_of_one_number_and_two_genders(samples):
    """Neither position nor gender tells the antecedent, and half of the sentences have one."""
    counts = {(first, feminine): 0 for first in (False, True) for feminine in (False, True)}
    for sample in samples:
        assert len(sample.references) <= 1
        for reference in (each for each in sample.references if each.ambiguous):
            forms = [noun.of(sample.source) for noun in reference.nouns]
            nouns = [NOUN[LEMMAS[form]] for form in forms]
            plurals = {form != noun.english[0] for form, noun in zip(forms, nouns, strict=True)}
            assert plurals == {reference.pronoun.of(sample.source) == "they"}
            assert sorted(noun.feminine for noun in nouns) == [False, True]
            feminine = reference.target.of(sample.target) in {"elle", "elles"}
            counts[reference.antecedent == reference.nouns[0], feminine] += 1
    n = sum(counts.values())
    assert 0.45 < n / len(samples) < 0.5
    # Four standard deviations of a fair draw of a quarter among 3,800 are 0.028.
    assert all(abs(count / n - 0.25) < 0.03 for count in counts.values())


def test_names_are_an_open_set_of_clear_gender_and_elision():
    rng = random.Random(5)
    for feminine in (False, True):
        names = [invented(rng, feminine) for _ in range(5000)]
        assert len(set(names)) > 3_500
        for name in names:
            assert is_name(name)
            assert is_feminine(name) == feminine
            assert re.fullmatch(r"[^\W\d_]{3,9}", name)
            assert name == unicodedata.normalize("NFC", name).capitalize()
            assert name.lower() not in VOCABULARY
    assert not any(map(is_name, ("Cat", "Hugo", "Yvonne", "Iona", "Aïda")))
    assert all(map(is_name, ("Anna", "Yara", "Élora", "Ibrim", "Zoé")))
