"""Where words begin and end, in scripts with spaces and in those without (UAX #29).

Chinese, Japanese, Thai, Lao, Khmer and Burmese have no spaces between words: there every character
that a reader sees (a grapheme cluster) is a word. Joiners, selectors, accents and soft hyphens
belong to what stands before them.
"""

import re
import unicodedata
from itertools import islice

import regex
from tokenizers import Regex, pre_tokenizers

from ..vocabulary import Span

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
BEFORE_UNSPACED = f"^ {_BEGINS}"
"""A pattern: a space at the beginning of a text, before what has none within a text."""

INVISIBLE = frozenset(
    "\u00ad\u061c\u200c\u200d\u200e\u200f\u2060"
    + "".join(
        map(chr, (*range(0xFE00, 0xFE10), *range(0xE0020, 0xE0080), *range(0xE0100, 0xE01F0)))
    )
)
"""What changes how the characters beside it are drawn: soft hyphen, joiners, marks of direction,
selectors, tags."""

_MAY_BE_UNSPACED = re.compile("[\u0e00-\U0010ffff]")
_SPACE = regex.compile(f"(?V1) (?=[^{UNSPACED}])")
_WRITTEN = regex.compile(rf"(?V1)((?=[{UNSPACED}])\X|(?:(?![{UNSPACED}])\S)+)(\s*)")


def apart(text: str) -> list[str]:
    """Return the pieces of a text that are split to tokens alike, alone or within the text.

    Args:
        text: With single spaces.

    >>> apart("I love 老师 very"), apart("老师")
    (['I', 'love 老师', 'very'], ['老师'])
    """
    # The pattern that knows scripts is slow, and all that are unspaced stand above the others.
    return _SPACE.split(text) if _MAY_BE_UNSPACED.search(text) else text.split()


def spaced_words(text: str) -> list[tuple[str, str]]:
    """Return words as people write them, each with the space after it.

    What stands between spaces is a word, signs included; in a script without spaces a character is.

    >>> spaced_words("it's white."), spaced_words("白的。")
    ([("it's", ' '), ('white.', '')], [('白', ''), ('的', ''), ('。', '')])
    """
    return _WRITTEN.findall(text)


def written_words(text: str) -> list[str]:
    """Return words as people write them, see `spaced_words`."""
    return [word for word, _ in spaced_words(text)]


def word_spans(text: str) -> tuple[Span, ...]:
    """Return where each word of a text stands, the space before it left out.

    >>> [span.of("It isn't l'été.") for span in word_spans("It isn't l'été.")]
    ['It', 'is', "n't", "l'", 'été', '.']
    """
    pieces = (Span(*ends) for _, ends in WORDS.pre_tokenize_str(text))
    bare = (Span(each.end - len(each.of(text).lstrip()), each.end) for each in pieces)
    return tuple(span for span in bare if span.start < span.end)


def spaced_spans(text: str) -> tuple[Span, ...]:
    """Return where what stands between spaces stands, for a text that is cut into words already.

    >>> [span.of("It isn't .") for span in spaced_spans("It isn't .")]
    ['It', "isn't", '.']
    """
    return tuple(Span(*found.span()) for found in re.finditer(r"\S+", text))


def is_punctuation(text: str) -> bool:
    """Say whether a text is punctuation alone; an empty one is."""
    return all(unicodedata.category(sign)[0] == "P" for sign in text)


def without_surrogates(text: str) -> str:
    """Return a text in which half of a surrogate pair, left by bad decoding, is a question mark."""
    return text.encode("utf-8", errors="replace").decode()


def has_unspaced(text: str) -> bool:
    """Say whether a text has a letter of a script without spaces."""
    return regex.search(f"(?V1)[{UNSPACED}]", text) is not None


def beginning(text: str, most: int) -> str:
    r"""Return the first `most` characters that a reader sees, or all of a shorter text.

    >>> beginning("👩\u200d❤\ufe0f\u200d👨abc", 2) == "👩\u200d❤\ufe0f\u200d👨a"
    True
    """
    return "".join(match[0] for match in islice(regex.finditer(r"\X", text), most))
