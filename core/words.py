"""Where words begin and end, in scripts with spaces and in those without (UAX #29).

Chinese, Japanese, Thai, Lao, Khmer and Burmese have no spaces between words: there every character
that a reader sees (a grapheme cluster) is a word. Joiners, selectors, accents and soft hyphens
belong to what stands before them.
"""

import re

import regex
from tokenizers import Regex, pre_tokenizers

UNSPACED = (
    r"\p{Han}〆〼ーｰ[[\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]&&[\p{L}\p{M}]]"
)
"""The letters of scripts without spaces, as one writes them in the brackets of a pattern."""
_BEGINS = f"(?=[{UNSPACED}])"
# A zero-width space ends a word; other characters of format do not. A letter below another one
# belongs to it (Burmese and Khmer).
_FORMAT = r"[\p{Cf}&&[^\x{200b}]]"
_CHARACTER = rf"{_BEGINS}(?:\X(?<=[\x{{1039}}\x{{17d2}}]){_BEGINS})*\X{_FORMAT}*"
_LETTERS = rf"[\p{{L}}\p{{M}}\p{{Cf}}&&[^\x{{200b}}{UNSPACED}]]+"

# A word, in order: a character of a script without spaces, what an English n't leaves (did), n't
# itself, a French elision (l', qu'), an English clitic ('s, 'll), other words, numbers, runs of
# other signs. A space belongs to the word after it.
WORD = (
    rf" ?{_CHARACTER}"
    rf"| ?{_LETTERS}(?=n['’]t\b)|n['’]t\b"
    rf"| ?{_LETTERS}['’](?=\p{{L}})(?!(?:s|re|ve|ll|d|m)\b)|['’](?:s|re|ve|ll|d|m)\b"
    rf"| ?{_LETTERS}| ?(?:\p{{N}}[\p{{M}}\p{{Cf}}]*)+"
    r"| ?[^\s\p{L}\p{N}]+|\s+"
)
WORDS = pre_tokenizers.Sequence(
    [
        pre_tokenizers.Split(Regex(WORD), "isolated"),
        # One character for each byte.
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ]
)
"""Splits a text into words."""
BEFORE_UNSPACED = Regex(f"^ {_BEGINS}")
"""A space at the beginning of a text, before what has none within a text."""

_MAY_BE_UNSPACED = re.compile("[\u0e00-\U0010ffff]")
_SPACE = regex.compile(f"(?V1) (?=[^{UNSPACED}])")
_WRITTEN = regex.compile(rf"(?V1)(?=[{UNSPACED}])\X[^\s\p{{L}}\p{{N}}]*|(?:(?![{UNSPACED}])\S)+")


def apart(text: str) -> list[str]:
    """Return the pieces of a text that are split to tokens alike, alone or within the text.

    Args:
        text: With single spaces.

    >>> apart("I love 老师 very"), apart("老师")
    (['I', 'love 老师', 'very'], ['老师'])
    """
    # The pattern that knows scripts is slow, and all that are unspaced stand above the others.
    return _SPACE.split(text) if _MAY_BE_UNSPACED.search(text) else text.split()


def written_words(text: str) -> list[str]:
    """Return words as people count them: what stands between spaces, signs included.

    In a script without spaces they are characters.

    >>> written_words("The cat, it's white."), written_words("猫是白的。")
    (['The', 'cat,', "it's", 'white.'], ['猫', '是', '白', '的。'])
    """
    return _WRITTEN.findall(text)


def has_unspaced(text: str) -> bool:
    """Say whether a text has a letter of a script without spaces."""
    return regex.search(f"(?V1)[{UNSPACED}]", text) is not None


def shortened(text: str, most: int) -> str:
    """Return at most so many characters that a reader sees, with … for what is left out.

    >>> shortened("a long word", 6), shortened("❤️❤️", 2)
    ('a lon…', '❤️❤️')
    """
    letters = regex.findall(r"\X", text)
    return text if len(letters) <= most else "".join(letters[: most - 1]) + "…"
