"""The format of the `tokenizers` library, read from untrusted files.

The library runs whatever a file says: six replacements of one letter by fifty make gigabytes of a
word, a regular expression with nested repetitions never ends, and some of its errors end the
process. So only parts are read that cannot make a text longer than by a few characters for each of
its own.
"""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tokenizers

from ..messages import MessageError, error_text
from .words import BEFORE_UNSPACED, WORD

MOST_PARTS = 32
"""Maximum normalizers, or splitters, in sequence."""
_LONGEST_REASON = 200
"""Maximum letters of an error of the library, which repeats its input."""
LONGEST_REPLACEMENT = 64
"""Maximum bytes of a character's replacement; Unicode's own table has 33."""

_LONG = 1 << 12
"""Maximum letters of a token; the longest known are 1,024 spaces."""

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_REST_OF_CODE = _REST.replace(r"[\r\n]*", r"[\r\n/]*", 1)
_LOWER = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
_UPPER = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
PATTERNS = frozenset(
    (
        # What own tokenizers split by, now and in older runs.
        WORD,
        BEFORE_UNSPACED,
        r" ?[\p{L}\p{M}]+(?=n['’]t\b)|n['’]t\b| ?[\p{L}\p{M}]+['’](?=\p{L})"
        r"(?!(?:s|re|ve|ll|d|m)\b)|['’](?:s|re|ve|ll|d|m)\b| ?[\p{L}\p{M}]+| ?\p{N}+"
        r"| ?[^\s\p{L}\p{M}\p{N}]+|\s+",
        r" ?[\p{L}\p{M}]+(?=n't\b)|n't\b| ?[\p{L}\p{M}]+'(?=\p{L})(?!(?:s|re|ve|ll|d|m)\b)"
        r"|'(?:s|re|ve|ll|d|m)\b| ?[\p{L}\p{M}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}]+|\s+",
        r"(?<=\p{L})'(?=\p{L})",
        r"\s+",
        # T5 and XLM-R, Pegasus, DeBERTa, GPT-2, LLaMA 3, Qwen 2 and 3.5.
        " {2,}",
        r"\n",
        r"\s{2,}|[\n\r\t]",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}{_REST}",
        rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{_REST}",
        rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}"
        + _REST.replace(r"\p{L}", r"\p{L}\p{M}"),
        # GPT-4o and gpt-oss, Mistral Nemo, Falcon, BLOOM.
        rf"{_LOWER}{_CONTRACTIONS}?|{_UPPER}{_CONTRACTIONS}?|\p{{N}}{{1,3}}{_REST_OF_CODE}",
        rf"{_LOWER}|{_UPPER}|\p{{N}}{_REST_OF_CODE}",
        "[0-9][0-9][0-9]",
        r" ?[^(\s|[.,!?…。，、।۔،])]+",
    )
)
"""The allowed regular expressions."""
_NORMALIZERS = frozenset(
    ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Strip", "StripAccents", "BertNormalizer", "Nmt")
)
_SPLITTERS = frozenset(
    ("ByteLevel", "BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation", "Digits")
    + ("Split", "CharDelimiterSplit", "UnicodeScripts", "Metaspace")
)
_FRAMES = frozenset(("ByteLevel", "BertProcessing", "RobertaProcessing"))


class TokenizerError(MessageError, ValueError):
    """A tokenizer that cannot be read; the message says why."""


def tokenizer_of_json(text: str) -> tokenizers.Tokenizer:
    """Read the format of the `tokenizers` library.

    Raises:
        TokenizerError: It is damaged, of a kind that the library does not know, or has a part that
            is not read here.
    """
    try:
        stored = json.loads(text)
        _check(stored)
        # Serialised again, so that what was checked is what is read, even with duplicate names.
        tokenizer = tokenizers.Tokenizer.from_str(json.dumps(stored | _WITHOUT_LENGTHS))
        # Some faults appear only when a word is split, or when one is unknown.
        tokenizer.encode("a \N{ADLAM CAPITAL LETTER ALIF}")
        return tokenizer
    except TokenizerError:
        raise
    except (AttributeError, KeyError, TypeError) as error:
        raise TokenizerError("one of its parts is damaged") from error
    except BaseException as error:
        raise TokenizerError(reason_of(error)) from error


def reason_of(error: BaseException) -> str:
    """Return why the library failed.

    It raises bare Exception, and a BaseException where it gives up; another one is raised on.
    """
    if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
        raise error
    first, _, rest = str(error_text(error)).strip().partition("\n")
    if first.rstrip().endswith(":"):
        first = f"{first.rstrip()} {rest.strip().partition(chr(10))[0]}"
    return _short(first, _LONGEST_REASON) or type(error).__name__


def _check(stored: Mapping[str, Any]) -> None:
    normalizers = _parts(stored.get("normalizer"), "normalizers")
    tables = [part for part in normalizers if part["type"] == "Precompiled"]
    refused = [part for part in normalizers if not _keeps_length(part)] + tables[1:]
    splitters = _parts(stored.get("pre_tokenizer"), "pretokenizers")
    refused += [part for part in splitters if part["type"] not in _SPLITTERS]
    # Bytes are written as characters of up to two bytes.
    refused += [part for part in splitters if part["type"] == "ByteLevel"][1:]
    frames = _parts(stored.get("post_processor"), "processors")
    refused += [part for part in frames if not _frames_once(part)]
    words = stored["model"].get("vocab", ())
    # Unigram's stand there with their scores. The library ends the process over very long ones.
    if max((len(each if isinstance(each, str) else each[0]) for each in words), default=0) > _LONG:
        raise TokenizerError("it has a token of more than {n} letters", n=_LONG)
    for part in refused[:1]:
        raise TokenizerError(
            "it has a part that is not read here: {it}", it=_short(json.dumps(part))
        )
    for pattern in _patterns([stored.get(name) for name in _PIPELINE]):
        if pattern not in PATTERNS:
            raise TokenizerError(
                "it has a pattern that is not known here: {it}", it=_short(pattern)
            )


_WITHOUT_LENGTHS = {"padding": None, "truncation": None}
"""Texts are neither cut nor filled up: to any length, as a file may say."""
_PIPELINE = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def _parts(part: Mapping[str, Any] | None, within: str) -> list[Mapping[str, Any]]:
    """Return the parts that stand one after the other, in sequences and alone."""
    if part is None:
        return []
    parts = [part]
    while any(each["type"] == "Sequence" for each in parts):
        parts = [
            inner
            for each in parts
            for inner in (each[within] if each["type"] == "Sequence" else [each])
        ]
        if len(parts) > MOST_PARTS:
            raise TokenizerError("it has more than {n} parts in a row", n=MOST_PARTS)
    return parts


def _keeps_length(part: Mapping[str, Any]) -> bool:
    """Say whether a normalizer makes a text longer by a few characters at most, or by none."""
    match part["type"]:
        case "Replace":
            pattern = part["pattern"]
            # Each of the known patterns takes a character at least.
            taken = len(pattern["String"]) if "String" in pattern else 1
            return taken >= 1 and len(part["content"]) <= taken
        case "Prepend":
            # The library gives up on a text before which it puts nothing.
            return len(part["prepend"]) == 1
        case "Precompiled":
            table = base64.b64decode(part["precompiled_charsmap"], validate=True)
            return longest_replacement(table) <= LONGEST_REPLACEMENT
        case kind:
            return kind in _NORMALIZERS


def longest_replacement(table: bytes) -> int:
    """Return the most bytes that SentencePiece's table of replacements puts for one character.

    After the size of a trie and the trie come the replacements, each with a zero behind it.
    """
    start = 4 + int.from_bytes(table[:4], "little")
    return max(map(len, table[start:].split(b"\0")))


def _frames_once(part: Mapping[str, Any]) -> bool:
    """Say whether what is put around a text is short, and holds the text once."""
    if part["type"] != "TemplateProcessing":
        return part["type"] in _FRAMES
    known = part["special_tokens"]
    single = part["single"]
    texts = [each for each in single if "Sequence" in each]
    named = [each["SpecialToken"]["id"] for each in single if "SpecialToken" in each]
    return (
        len(texts) == 1
        and len(single) <= MOST_PARTS
        and all(name in known and len(known[name]["ids"]) == 1 for name in named)
    )


def _patterns(part: object) -> Iterator[str]:
    """Yield every regular expression within a part."""
    if isinstance(part, Mapping):
        if isinstance(part.get("Regex"), str):
            yield part["Regex"]
        for inner in part.values():
            yield from _patterns(inner)
    elif isinstance(part, Sequence) and not isinstance(part, str):
        for inner in part:
            yield from _patterns(inner)


def _short(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
