"""Text to token ids and back: the interface of all tokenizers, and the text of their tokens.

A tokenizer is trained here (`byte_level`) or comes with an opened model (`opened`).
"""

import codecs
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from tokenizers.pre_tokenizers import PreTokenizer

from ..vocabulary import Span
from .words import INVISIBLE, WORDS

_AS_HEX = "seq2see.as-hex"


def _hex(error: UnicodeError) -> tuple[str, int]:
    """Write invalid bytes as ‹F0›."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return "".join(f"‹{byte:02X}›" for byte in wrong), error.end


codecs.register_error(_AS_HEX, _hex)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as people read it."""

    text: str
    """Without the leading space; incomplete characters are written as ‹F0›."""
    special: bool
    word: int
    """Index of the word that it belongs to."""


def token_texts(tokens: Sequence[Token]) -> list[str]:
    """Return the text of each token."""
    return [token.text for token in tokens]


class HasOffsets(Protocol):
    """An encoding of the `tokenizers` library, or `Offsets`."""

    @property
    def offsets(self) -> Sequence[tuple[int, int]]:
        """Start and end of each id's characters in the original text."""


@dataclass(frozen=True, slots=True)
class Offsets:
    """The offsets of an encoding."""

    offsets: Sequence[tuple[int, int]]


class Encoding:
    """A text as ids, without special tokens around it."""

    def __init__(self, ids: tuple[int, ...], text: str, encoding: HasOffsets) -> None:
        self.ids = ids
        self._text = text
        self._encoding = encoding

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The characters of the text that each id stands for, the space before it left out."""
        return tuple(
            Span(start + (self._text[start:end] != self._text[start:end].lstrip()), end)
            for start, end in self._encoding.offsets
        )

    def tokens_in(self, span: Span) -> tuple[int, ...]:
        """Return the indices of the tokens that overlap a span of the text."""
        return tuple(
            index
            for index, token in enumerate(self.spans)
            if token.start < span.end and span.start < token.end
        )


class Tokenizer(ABC):
    """A vocabulary of byte strings and special tokens; subclasses split texts in their own ways."""

    n_names = 0
    """Number of tokens at the end of the vocabulary that are names, which may share a vector."""

    def __init__(
        self,
        pieces: Sequence[bytes],
        specials: Mapping[int, str],
        splitter: PreTokenizer = WORDS,
        begins: tuple[int, ...] = (),
        ends: tuple[int, ...] = (),
        mask_id: int = -1,
    ) -> None:
        """Make a tokenizer.

        Args:
            pieces: The UTF-8 of each id with its leading space; empty for a special one, and for
                one that stands for nothing.
            specials: Special id → its name.
            splitter: Cuts a text into words, each with one character for each byte.
            begins: Ids before every source; for a decoder alone, before every text.
            ends: Ids after every source.
            mask_id: The id of a masked word; −1 if there is none.
        """
        self._pieces = pieces
        self._splitter = splitter
        unused = {number: f"unused {number}" for number, piece in enumerate(pieces) if not piece}
        self.specials = unused | dict(specials)
        self.begins, self.ends, self.mask_id = begins, ends, mask_id
        self._alone: dict[int, Token] = {}

    @property
    def vocab_size(self) -> int:
        """Special tokens included."""
        return len(self._pieces)

    @abstractmethod
    def files(self) -> dict[str, bytes]:
        """Return the files of the tokenizer in a run's folder: name → content."""

    @abstractmethod
    def normalise(self, text: str) -> str:
        """Return the text as the model sees it."""

    @abstractmethod
    def encode_all(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode many texts at once, which is faster than one by one."""

    def ids_of_all(self, texts: Sequence[str]) -> list[list[int]]:
        """Return only the ids of many texts, which may be faster."""
        return [list(encoding.ids) for encoding in self.encode_all(texts)]

    def encode(self, text: str) -> Encoding:
        """Return the ids of a text; an empty text has none."""
        return self.encode_all([text])[0]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids, without special tokens; invalid bytes become ‹F0›."""
        return self._joined(ids).decode("utf-8", errors=_AS_HEX).removeprefix(" ")

    def words(self, text: str) -> list[str]:
        """Return the words of a text, as `Token.word` counts them."""
        normal = self.normalise(text)
        words = self._split(f" {normal}") if normal else []
        return [readable(word.encode()) for word, _ in words]

    def describe(self, ids: Sequence[int]) -> tuple[Token, ...]:
        """Return each id as people read it, with the word that it belongs to."""
        word_of_byte = self._word_of_byte(self._joined(ids))
        tokens: list[Token] = []
        position, n_words, last_word = 0, 0, -1
        for token_id in ids:
            if token_id in self.specials:
                tokens.append(Token(self.specials[token_id], True, n_words))
                n_words, last_word = n_words + 1, -1
                continue
            raw = self.piece(token_id)
            # A leading space belongs to the next word; a token of spaces only is looked up itself.
            word = word_of_byte[position + (raw[:1] == b" " and len(raw) > 1)]
            n_words += word != last_word
            tokens.append(Token(readable(raw), False, n_words - 1))
            position, last_word = position + len(raw), word
        return tuple(tokens)

    def describe_alone(self, ids: Sequence[int]) -> tuple[Token, ...]:
        """Return each id by itself; of two that read alike, one shows its space.

        “il” in “qu'il” and “il” at the beginning of a word are two tokens.
        """
        tokens = [self._described_alone(token_id) for token_id in ids]
        alike = Counter(
            {token_id: token.text for token_id, token in zip(ids, tokens, strict=True)}.values()
        )
        return tuple(
            replace(token, text=f"␣{token.text}")
            if alike[token.text] > 1 and self.begins_word(token_id)
            else token
            for token_id, token in zip(ids, tokens, strict=True)
        )

    def _described_alone(self, token_id: int) -> Token:
        # Needed at every decoding step.
        if token_id not in self._alone:
            [self._alone[token_id]] = self.describe([token_id])
        return self._alone[token_id]

    def begins_word(self, token_id: int) -> bool:
        """Say whether there is a space before a token."""
        return self.piece(token_id).startswith(b" ")

    def piece(self, token_id: int) -> bytes:
        """Return the UTF-8 of a token with its leading space; empty for a special one."""
        return self._pieces[token_id]

    def word_texts(self, ids: Sequence[int]) -> list[str]:
        """Return the text of each word that `describe` counts."""
        grouped: dict[int, list[int]] = {}
        for token_id, token in zip(ids, self.describe(ids), strict=True):
            grouped.setdefault(token.word, []).append(token_id)
        return [
            self.specials[group[0]] if group[0] in self.specials else readable(self._joined(group))
            for group in grouped.values()
        ]

    def _joined(self, ids: Iterable[int]) -> bytes:
        return b"".join(map(self.piece, ids))

    def _split(self, normal: str) -> list[tuple[str, int]]:
        """Cut a normalised text into words, each without its space and with its length in bytes."""
        pieces = self._splitter.pre_tokenize_str(normal)
        # The byte-level step writes one character for each byte.
        return [(normal[start:end].removeprefix(" "), len(piece)) for piece, (start, end) in pieces]

    def _word_of_byte(self, joined: bytes) -> list[int]:
        """Return for each byte the number of its word."""
        text = joined.decode("utf-8", errors="surrogateescape")
        # An invalid byte is replaced by a letter of the same length, one byte.
        whole = "".join("x" if "\udc80" <= char <= "\udcff" else char for char in text)
        lengths = [length for _, length in self._split(whole)]
        return [word for word, length in enumerate(lengths) for _ in range(length)]


def byte_characters() -> dict[int, str]:
    """Return the printable character by which byte-level BPE writes each byte.

    Bytes that are printable in Latin-1 stand for themselves, the others follow from U+0100 on
    (Radford et al. 2019).
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {
        byte: chr(0x100 + index) for index, byte in enumerate(others)
    }


def readable(raw: bytes) -> str:
    """Return a token's bytes as a person can read them."""
    if raw == b" ":
        return "␣"
    text = raw.removeprefix(b" ").decode("utf-8", errors=_AS_HEX)
    # A joiner or a selector acts on other characters; alone it is invisible.
    if INVISIBLE.issuperset(text):
        return "".join(f"U+{ord(char):04X}" for char in text)
    shown = "".join(map(_shown, text))
    # An accent without its letter is drawn on a dotted circle.
    return f"◌{shown}" if text and unicodedata.category(text[0]).startswith("M") else shown


def _shown(char: str) -> str:
    r"""Return a character, or a sign for one that cannot be seen.

    >>> [_shown(char) for char in ("a", "\n", "\x07")]
    ['a', '↵', 'U+0007']
    """
    if char in _SIGNS:
        return _SIGNS[char]
    if char in INVISIBLE:
        return char
    return char if char.isprintable() and char != "\ufffd" else f"U+{ord(char):04X}"


_SIGNS = {"\n": "↵", "\t": "⇥"}
"""Invisible character → sign on its key."""
