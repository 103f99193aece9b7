"""Invented names: an open set, so that a model must copy them instead of knowing them.

The rule of gender: a name that ends in "a" is a woman's, every other name a man's.
"""

import random
import re

from .lexicon import ADJECTIVES, LEMMAS, VERBS

_FUNCTION_WORDS = """
    the a an some any and but because when who that why
    did didn't do don't does doesn't was were wasn't weren't is are isn't aren't not
    he she it they very too
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
VOCABULARY = (
    FUNCTION_WORDS
    | LEMMAS.keys()
    | {adjective.english for adjective in ADJECTIVES}
    | {word for verb in VERBS for word in f"{verb.base} {verb.third} {verb.past}".split()}
)
"""Every English word of the grammar, without capitals."""

# What stands twice is drawn twice as often. No name begins with "h": a reader cannot know whether
# an invented h is "aspiré", so whether "que" elides before it.
_CLUSTERS = """
    bl br ch cl cr dr fl fr gl gr kr pl pr qu sh sk sl sp st str th tr tw vl wr zh
"""
_VOWELS = """
    a e i o u a e i o u a e i o u a e i o u a e i o u a e i o u a e i o u a e i o u
    y ai au ei ou oo ia io é è ê ë ï ô ö ü á
"""
_CODAS = "n r l s m t k x z d g p b v c f rk nd st lt ss ll nk rt sh ck"
_ENDINGS = "e i o u y é ö an en in on un ar er ir or ek ik ok us os is el il ot et"

SIMPLE_ONSETS = tuple("bcdfgjklmnprstvwxyz" + "bdfgklmnprstvz" + "lmnrst")
ONSETS = (*SIMPLE_ONSETS, *_CLUSTERS.split())
VOWELS = tuple(_VOWELS.split())
FIRST_VOWELS = tuple("aeiouaeioué")
CODAS = tuple(_CODAS.split())
ENDINGS_OF_MEN = tuple(_ENDINGS.split())

# Before another vowel a first vowel may be a glide ("que Iona", "qu'Iona"), and so may a "y".
_ANY_VOWEL = "aeiouyàâáéèêëîïíôöóùûüœæ"
_BEGINNING = re.compile(rf"[^\W\d_h{_ANY_VOWEL}]|[aeiouéèêëö](?![h{_ANY_VOWEL}])|y(?=[aeou])")
_TRIPLED = re.compile(r"(.)\1\1")


def _before_the_ending(rng: random.Random) -> str:
    """Return one syllable or two, and the consonants that begin the last one."""
    pick = rng.choice
    start = pick(FIRST_VOWELS) if rng.random() < 0.2 else pick(ONSETS) + pick(VOWELS)
    if rng.random() < 0.35:
        start += pick(ONSETS) + pick(VOWELS)
    if rng.random() < 0.4:
        return start + pick(CODAS) + pick(SIMPLE_ONSETS)
    return start + pick(ONSETS)


def invented(rng: random.Random, feminine: bool) -> str:
    """Return a name of three to nine letters that is no word of the grammar.

    >>> invented(random.Random(0), feminine=True)[-1]
    'a'
    """
    while True:
        name = _before_the_ending(rng) + ("a" if feminine else rng.choice(ENDINGS_OF_MEN))
        name = name.capitalize()
        if is_name(name) and not _TRIPLED.search(name.lower()):
            return name


def is_name(word: str) -> bool:
    """Say whether a word can be a name here: capitalised, unknown, and clear in its elision.

    >>> [is_name(word) for word in ("Marlo", "Anna", "The", "Hugo", "marlo")]
    [True, True, False, False, False]
    """
    low = word.lower()
    return (
        3 <= len(word) <= 9
        and word == word.capitalize()
        and low not in VOCABULARY
        and word.isalpha()
        and _BEGINNING.match(low) is not None
    )


def is_feminine(name: str) -> bool:
    """Apply the rule of gender."""
    return name.endswith("a")
