"""Text to token ids and back: byte-level BPE, so that any Unicode text can be typed.

The special tokens live outside the BPE vocabulary (ids 0, 1 and 2, before its first), so that no
typed text, `</s>` least of all, can ever turn into one.
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers, trainers

from core.vocabulary import FIRST_ID, SPECIAL_TEXTS, Span

# A word, in order: what an English n't leaves (did), n't itself, a French elision (l', qu'), an
# English clitic ('s, 'll), other words, numbers, runs of other signs. A space belongs to the word
# after it.
_WORD = (
    r" ?[\p{L}\p{M}]+(?=n['’]t\b)|n['’]t\b"
    r"| ?[\p{L}\p{M}]+['’](?=\p{L})(?!(?:s|re|ve|ll|d|m)\b)|['’](?:s|re|ve|ll|d|m)\b"
    r"| ?[\p{L}\p{M}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}]+|\s+"
)
STRAIGHT, CURLY = "'", "’"
_APOSTROPHES = {
    STRAIGHT: normalizers.Replace(CURLY, STRAIGHT),
    # Beside a letter on one side only it may be a quotation mark.
    CURLY: normalizers.Replace(Regex(r"(?<=\p{L})'(?=\p{L})"), CURLY),
}
_WITHIN_WORD = re.compile(r"(?<=[^\W\d_])['’](?=[^\W\d_])")

_AS_HEX = "transformer-lab.as-hex"


def _hex(error: UnicodeError) -> tuple[str, int]:
    """Write bytes that are no character as ‹F0›."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return "".join(f"‹{byte:02X}›" for byte in wrong), error.end


codecs.register_error(_AS_HEX, _hex)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as people read it."""

    text: str
    """Without the space before it; bytes that are no whole character stand as ‹F0›."""
    special: bool
    word: int
    """Which word of the sentence it belongs to; tokens of one word share the number."""


class Encoding:
    """A text as ids, without special tokens."""

    def __init__(self, text: str, encoding: tokenizers.Encoding) -> None:
        self.ids = tuple([piece + FIRST_ID for piece in encoding.ids])
        self._text = text
        self._encoding = encoding

    @property
    def spans(self) -> tuple[Span, ...]:
        """The characters of the text that each id stands for, the space before it left out."""
        # Not kept: training asks for them only where a sentence has a pronoun.
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


class Tokenizer:
    """Byte-level BPE trained on a task, with PAD, BOS and EOS in front."""

    def __init__(self, bpe: tokenizers.Tokenizer) -> None:
        self._bpe = bpe
        byte_of = {char: byte for byte, char in _byte_characters().items()}
        pieces = sorted(bpe.get_vocab().items(), key=lambda piece: piece[1])
        self._bytes = [bytes(byte_of[char] for char in text) for text, _ in pieces]

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int, apostrophe: str = STRAIGHT) -> Self:
        """Learn at most `vocab_size` tokens, specials and the 256 bytes included.

        Args:
            texts: What is learned from.
            vocab_size: The most tokens.
            apostrophe: The one that the model sees and writes, whichever is typed.
        """
        bpe = tokenizers.Tokenizer(models.BPE())
        bpe.normalizer = normalizers.Sequence(
            [
                normalizers.NFC(),
                _APOSTROPHES[apostrophe],
                normalizers.Replace(Regex(r"\s+"), " "),
                normalizers.Strip(),
                # So that a word is the same token at the beginning of a sentence.
                normalizers.Prepend(" "),
            ]
        )
        bpe.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(_WORD), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size - FIRST_ID,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        )
        bpe.train_from_iterator(texts, trainer)
        return cls(bpe)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote.

        Raises:
            ValueError: The text is no tokenizer, or not a byte-level one.
        """
        try:
            return cls(tokenizers.Tokenizer.from_str(text))
        except Exception as error:  # the library raises bare Exception
            raise ValueError(f"not a byte-level tokenizer: {error}") from error

    def to_json(self) -> str:
        """Return the tokenizer in the format of the `tokenizers` library."""
        return self._bpe.to_str(pretty=True)

    @property
    def vocab_size(self) -> int:
        """Special tokens included."""
        return FIRST_ID + len(self._bytes)

    def normalise(self, text: str) -> str:
        """Return the text as the model sees it: NFC, one kind of apostrophe, single spaces."""
        normal: str = self._bpe.normalizer.normalize_str(text)
        return normal[1:]

    def encode(self, text: str) -> Encoding:
        """Return the ids of a text; an empty text has none."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode many texts at once, which is faster than one by one."""
        # Half of a surrogate pair, which badly decoded input may hold, becomes a question mark.
        texts = [text.encode("utf-8", errors="replace").decode() for text in texts]
        encodings = self._bpe.encode_batch(texts, add_special_tokens=False)
        return [Encoding(text, encoding) for text, encoding in zip(texts, encodings, strict=True)]

    def ids_of_all(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of many texts and nothing else: the fastest way."""
        texts = [text.encode("utf-8", errors="replace").decode() for text in texts]
        encodings = self._bpe.encode_batch_fast(texts, add_special_tokens=False)
        return [[piece + FIRST_ID for piece in encoding.ids] for encoding in encodings]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids, specials left out; bytes that are no character become ‹F0›."""
        return self._joined(ids).decode("utf-8", errors=_AS_HEX).removeprefix(" ")

    def words(self, text: str) -> list[str]:
        """Return the words of a text, as `Token.word` counts them."""
        return [word for word, _ in self._split(self._bpe.normalizer.normalize_str(text))]

    def describe(self, ids: Sequence[int]) -> tuple[Token, ...]:
        """Return each id as people read it, with the word that it belongs to.

        Needs the ids only, so that what a model says is described as what a person typed.
        """
        word_of_byte = self._word_of_byte(self._joined(ids))
        tokens: list[Token] = []
        position, n_words, last_word = 0, 0, -1
        for token_id in ids:
            if token_id < FIRST_ID:
                tokens.append(Token(SPECIAL_TEXTS[token_id], True, n_words))
                n_words, last_word = n_words + 1, -1
                continue
            raw = self._bytes[token_id - FIRST_ID]
            # The space before a word counts to it; a token of nothing else is looked up itself.
            word = word_of_byte[position + (raw[:1] == b" " and len(raw) > 1)]
            n_words += word != last_word
            tokens.append(Token(_readable(raw), False, n_words - 1))
            position, last_word = position + len(raw), word
        return tuple(tokens)

    def describe_alone(self, ids: Sequence[int]) -> tuple[Token, ...]:
        """Return ids of a list, each for itself; of two that read alike one shows its space.

        “il” in “qu'il” and “il” at the beginning of a word are two tokens.
        """
        tokens = [self.describe([token_id])[0] for token_id in ids]
        alike = Counter(
            {token_id: token.text for token_id, token in zip(ids, tokens, strict=True)}.values()
        )
        return tuple(
            replace(token, text=f"␣{token.text}")
            if alike[token.text] > 1 and self._begins_word(token_id)
            else token
            for token_id, token in zip(ids, tokens, strict=True)
        )

    def _begins_word(self, token_id: int) -> bool:
        return token_id >= FIRST_ID and self._bytes[token_id - FIRST_ID].startswith(b" ")

    def word_texts(self, ids: Sequence[int]) -> list[str]:
        """Return the text of each word that `describe` counts."""
        grouped: dict[int, list[int]] = {}
        for token_id, token in zip(ids, self.describe(ids), strict=True):
            grouped.setdefault(token.word, []).append(token_id)
        return [
            SPECIAL_TEXTS[group[0]] if group[0] < FIRST_ID else _readable(self._joined(group))
            for group in grouped.values()
        ]

    def _joined(self, ids: Iterable[int]) -> bytes:
        return b"".join(self._bytes[i - FIRST_ID] for i in ids if i >= FIRST_ID)

    def _split(self, normal: str) -> list[tuple[str, int]]:
        """Cut a normalised text into words, each without its space and with its length in bytes."""
        pieces = self._bpe.pre_tokenizer.pre_tokenize_str(normal)
        # The byte-level step writes one character for each byte.
        return [(normal[start:end].removeprefix(" "), len(piece)) for piece, (start, end) in pieces]

    def _word_of_byte(self, joined: bytes) -> list[int]:
        """Return for each byte the number of its word."""
        text = joined.decode("utf-8", errors="surrogateescape")
        # A byte that is no character stands as a letter that is itself as long: one byte.
        whole = "".join("x" if "\udc80" <= char <= "\udcff" else char for char in text)
        lengths = [length for _, length in self._split(whole)]
        return [word for word, length in enumerate(lengths) for _ in range(length)]


def usual_apostrophe(texts: Iterable[str]) -> str:
    """Return the apostrophe that texts have within words more often; the straight one in a tie.

    >>> usual_apostrophe(["l’été", "d'un ’mot’"]), usual_apostrophe(["aujourd’hui"])
    ("'", '’')
    """
    found = Counter(each for text in texts for each in _WITHIN_WORD.findall(text))
    return CURLY if found[CURLY] > found[STRAIGHT] else STRAIGHT


def _byte_characters() -> dict[int, str]:
    """Return the printable character by which byte-level BPE writes each byte.

    Bytes that are printable in Latin-1 stand for themselves, the others follow from U+0100 on
    (Radford et al. 2019).
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {
        byte: chr(0x100 + index) for index, byte in enumerate(others)
    }


def _readable(raw: bytes) -> str:
    """Return a token's bytes as a person can read them."""
    if raw == b" ":
        return "␣"
    text = raw.removeprefix(b" ").decode("utf-8", errors=_AS_HEX)
    shown = "".join(
        char if char.isprintable() and char != "\ufffd" else f"U+{ord(char):04X}" for char in text
    )
    # An accent without its letter is drawn on a dotted circle.
    return f"◌{shown}" if text and unicodedata.category(text[0]).startswith("M") else shown
