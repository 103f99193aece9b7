import random
import re
import unicodedata

from core.tasks.translation.names import VOCABULARY, invented, is_feminine, is_name


def some_names(n, feminine):
    rng = random.Random(5)
    return [invented(rng, feminine) for _ in range(n)]


def test_names_of_women_end_in_a_and_names_of_men_never_do():
    assert all(is_feminine(name) for name in some_names(2000, feminine=True))
    assert not any(is_feminine(name) for name in some_names(2000, feminine=False))


def test_names_are_an_open_set():
    assert len(set(some_names(20_000, feminine=False))) > 15_000


def test_names_are_capitalised_composed_and_of_three_to_nine_letters():
    for name in some_names(2000, True) + some_names(2000, False):
        assert is_name(name)
        assert re.fullmatch(r"[^\W\d_]{3,9}", name)
        assert not re.search(r"(.)\1\1", name.lower())
        assert name == unicodedata.normalize("NFC", name).capitalize()


def test_no_name_is_a_word_of_the_grammar():
    assert not VOCABULARY & {name.lower() for name in some_names(20_000, feminine=False)}
    assert not is_name("Cat")


def test_names_begin_so_that_elision_before_them_is_certain():
    assert not any(map(is_name, ("Hugo", "Yvonne", "Iona", "Aïda")))
    assert all(map(is_name, ("Anna", "Yara", "Élora", "Ibrim", "Zoé")))
