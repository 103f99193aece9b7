"""A token for each word of a small vocabulary, and for each name, whatever it is.

Names stand last, in one row: those of the training, those that are held out, and free ones. A word
that is typed and none of them is lent a free one, which from then on is read back as that word.
"""

import json
import re
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from tokenizers import Regex, pre_tokenizers

from ..messages import Message
from ..vocabulary import EOS, FIRST_ID, SPECIAL_TEXTS
from .tokenizer import Encoding, Offsets, Tokenizer
from .words import without_surrogates

KIND = "words and names"
_WORD = re.compile(r"""[^\s.,;:!?¿¡…"“”«»()\[\]]+""")
"""Anything typed except punctuation, which is dropped."""
_SPLITTER = pre_tokenizers.Sequence(
    [
        pre_tokenizers.Split(Regex(r" ?[^ ]+"), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ]
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of a task."""

    words: tuple[str, ...]
    """Lower-case words of sources and targets."""
    names: tuple[str, ...]
    """Names that are drawn, in training or held out."""
    n_free: int
    """Number of free names, for unknown words."""

    @property
    def n_names(self) -> int:
        """The free ones included."""
        return len(self.names) + self.n_free

    @property
    def n_tokens(self) -> int:
        """The special ones included."""
        return FIRST_ID + len(self.words) + self.n_names


class Lent:
    """The words that free names are lent to, in this process; the least recently used goes first.

    It belongs to no tokenizer: the same word has the same name in all models that are looked at
    side by side.
    """

    def __init__(self, n: int) -> None:
        self._words: list[str] = [f"‹{number}›" for number in range(n)]
        self._numbers: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def number(self, word: str) -> int:
        """Return the number of the free name that a word is lent."""
        with self._lock:
            if word not in self._numbers:
                n = len(self._numbers)
                free = n if n < len(self._words) else self._numbers.popitem(last=False)[1]
                self._words[free], self._numbers[word] = word, free
            self._numbers.move_to_end(word)
            return self._numbers[word]

    def word(self, number: int) -> str:
        """Return the word that a free name is lent to; its number in brackets if there is none."""
        return self._words[number]


lent = lru_cache(Lent)
"""The free names of this process, by their number."""


class WordTokenizer(Tokenizer):
    """Words and names, with PAD, BOS and EOS in front."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Make a tokenizer; the order of the vocabulary gives the ids."""
        self.vocabulary = vocabulary
        known = (*vocabulary.words, *vocabulary.names)
        pieces = [*[b""] * FIRST_ID, *(f" {word}".encode() for word in known)]
        # Of a free name `piece` knows the word that it is lent to.
        pieces += [b" "] * vocabulary.n_free
        super().__init__(pieces, SPECIAL_TEXTS, _SPLITTER, ends=(EOS,))
        self.n_names = vocabulary.n_names
        self._ids = {word: FIRST_ID + index for index, word in enumerate(known)}

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `files` wrote.

        Raises:
            ValueError: The text holds something else.
        """
        try:
            stored = json.loads(text)
            words, names = ([str(each) for each in stored[name]] for name in ("words", "names"))
            vocabulary = Vocabulary(tuple(words), tuple(names), int(stored["n_free"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                Message("not a vocabulary of words and names: {why}", why=repr(error))
            ) from error
        if vocabulary.n_free < 1 or len({*words, *names}) < len(words) + len(names):
            raise ValueError(Message("a word stands there twice, or no name is free"))
        return cls(vocabulary)

    def files(self) -> dict[str, bytes]:
        """Return the one file of the tokenizer."""
        known = self.vocabulary
        content = {"kind": KIND, "words": known.words, "names": known.names, "n_free": known.n_free}
        return {"tokenizer.json": json.dumps(content, ensure_ascii=False).encode()}

    def normalise(self, text: str) -> str:
        """Return the text as the model sees it: words alone, known ones in small letters."""
        return " ".join(word for word, _ in self._words(text))

    def encode_all(self, texts: Sequence[str]) -> list[Encoding]:
        """Return the id of each word; one that is unknown is lent a free name."""
        return [self._encoded(text) for text in texts]

    def piece(self, token_id: int) -> bytes:
        """Return the UTF-8 of a token; of a free name that of the word that it is lent to."""
        free = token_id - FIRST_ID - len(self._ids)
        if free < 0:
            return super().piece(token_id)
        return f" {lent(self.vocabulary.n_free).word(free)}".encode()

    def _encoded(self, text: str) -> Encoding:
        words = list(self._words(text))
        offsets = Offsets([span for _, span in words])
        return Encoding(tuple(self._id(word) for word, _ in words), text, offsets)

    def _id(self, word: str) -> int:
        if word in self._ids:
            return self._ids[word]
        return FIRST_ID + len(self._ids) + lent(self.vocabulary.n_free).number(word)

    def _words(self, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yield each word of a text, and where it begins and ends there."""
        for match in _WORD.finditer(text):
            word = unicodedata.normalize("NFC", without_surrogates(match[0]))
            small = word.lower().replace("’", "'")
            yield small if small in self._ids else word, match.span()


def is_word_level(text: str) -> bool:
    """Say whether a tokenizer's file is one of these."""
    return f'"kind": "{KIND}"' in text[:100]
