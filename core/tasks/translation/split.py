"""Which sentences are held out: those with noun pairs, or names, that no training has."""

import functools
import itertools
import re

from ..task import is_in_test_part
from .lexicon import LEMMAS
from .names import FUNCTION_WORDS

# With this salt the pair (animal, street) is held out: "The animal didn't cross the street …" is
# always a sentence whose nouns never stood together in training.
_SALT = "25"
_WORD = re.compile(r"[^\s.,?]+")


@functools.cache
def is_pair_held_out(one: str, other: str) -> bool:
    """Say whether two different nouns (singular, in any order) meet in the test only."""
    return is_in_test_part(" ".join(sorted((one, other))), _SALT)


def is_name_held_out(name: str) -> bool:
    """Say whether a name occurs in the test only."""
    return is_in_test_part(f"name {name}", _SALT)


def nouns_and_names(source: str) -> tuple[list[str], list[str]]:
    """Return the nouns (in the singular) and the names of an English sentence, in order.

    >>> nouns_and_names("When Anna saw the mice, the cat slept.")
    (['mouse', 'cat'], ['Anna'])
    """
    words = _WORD.findall(source)
    nouns = [LEMMAS[word] for word in words if word in LEMMAS]
    names = [word for word in words if word[0].isupper() and word.lower() not in FUNCTION_WORDS]
    return nouns, names


def is_held_out(source: str) -> bool:
    """Say whether an English sentence belongs to the test.

    It does when any two of its nouns, or any of its names, do; a sentence with neither a pair nor
    a name is judged as a whole.
    """
    nouns, names = nouns_and_names(source)
    different = sorted(set(nouns))
    if len(different) < 2 and not names:
        return is_in_test_part(source, _SALT)
    return any(map(is_name_held_out, names)) or any(
        is_pair_held_out(one, other) for one, other in itertools.combinations(different, 2)
    )
