"""Tokenizers that the `tokenizers` library runs: WordPiece, byte-level BPE, and pieces with ▁.

Their tokens are told apart by how they are written: `##ing` goes on with a word, `Ġthe` has one
character for each byte, `▁the` has a sign for the space before it, `<0x0A>` is a byte.
"""

import json
import re
from collections.abc import Mapping, Sequence
from reprlib import repr
from typing import Any

from .bpe_json import TokenizerError, tokenizer_of_json
from .byte_level import MASK
from .tokenizer import Encoding, Tokenizer, byte_characters
from .words import without_surrogates

FILE = "tokenizer.json"
SPACE = "▁"
_MASKS = ("<mask>",)
"""What models call a masked word beside MASK, which is what people write."""
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_BYTES_OF = {char: byte for byte, char in byte_characters().items()}


class FastTokenizer(Tokenizer):
    """What FILE says, with the ids that a model has beyond it."""

    def __init__(self, text: str, n: int) -> None:
        """Read a tokenizer; what it says of padding and cutting is forgotten.

        Args:
            text: The content of FILE.
            n: Tokens of the model.

        Raises:
            TokenizerError: It is damaged, has a part that is not read here, has or puts around a
                text more tokens than the model, or two of one number.
        """
        fast = tokenizer_of_json(text)
        fast.no_padding()
        fast.no_truncation()
        self._fast = fast
        own = fast.get_vocab(with_added_tokens=False)
        if len(set(own.values())) < len(own):
            raise TokenizerError("it gives two tokens the same number")
        texts = {number: text for text, number in fast.get_vocab(with_added_tokens=True).items()}
        if (most := max(texts, default=-1)) >= n:
            raise TokenizerError(
                "it has a token {text} with number {most}, and the model has {n} tokens",
                text=repr(texts[most]),
                most=most,
                n=n,
            )
        added = fast.get_added_tokens_decoder()
        specials = {number: each.content for number, each in added.items() if each.special}
        written = Written(json.loads(fast.to_str()))
        pieces = [
            b""
            # A model may have more than are used: its sizes are round.
            if number in specials or number not in texts
            else added[number].content.encode()
            if number in added
            else written.piece(texts[number])
            for number in range(n)
        ]
        begins, ends = self._around()
        if (most := max((*begins, *ends), default=0)) >= n:
            raise TokenizerError(
                "it puts token {most} around a text, and the model has {n} tokens", most=most, n=n
            )
        masks = [number for number, text in specials.items() if text in (MASK, *_MASKS)]
        super().__init__(
            pieces, specials, begins=begins, ends=ends, mask_id=masks[0] if masks else -1
        )

    def _around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return what is put before and after every text."""
        plain, framed = self._framed()
        at = next(
            (at for at in range(len(framed)) if framed[at : at + len(plain)] == plain), len(framed)
        )
        return tuple(framed[:at]), tuple(framed[at + len(plain) :])

    def _framed(self) -> tuple[list[int], list[int]]:
        """Return the ids of a text alone, and with what is put around it.

        Raises:
            TokenizerError: The tokenizer makes no token of any of its own.
        """
        added = {each.content for each in self._fast.get_added_tokens_decoder().values()}
        for text in ("a", *self._fast.get_vocab(with_added_tokens=False)):
            plain = self._fast.encode(text, add_special_tokens=False).ids
            if plain and text not in added:
                return plain, self._fast.encode(text).ids
        raise TokenizerError("it splits no text to tokens")

    def files(self) -> dict[str, bytes]:
        """Return what a run's folder keeps of it."""
        return {FILE: self._fast.to_str(pretty=False).encode()}

    def normalise(self, text: str) -> str:
        """Return the text as the model sees it."""
        normalizer = self._fast.normalizer
        normal = text if normalizer is None else str(normalizer.normalize_str(text))
        return normal.replace(SPACE, " ").strip(" ")

    def encode_all(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode many texts at once, which is faster than one by one."""
        texts = [self._typed(text) for text in texts]
        found = self._fast.encode_batch(texts, add_special_tokens=False)
        return [
            Encoding(tuple(each.ids), text, each) for text, each in zip(texts, found, strict=True)
        ]

    def ids_of_all(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of many texts and nothing else, which is faster."""
        found = self._fast.encode_batch_fast(
            list(map(self._typed, texts)), add_special_tokens=False
        )
        return [each.ids for each in found]

    def _typed(self, text: str) -> str:
        """Return a text with the model's own sign for a masked word."""
        text = without_surrogates(text)
        return text.replace(MASK, self.specials[self.mask_id]) if self.mask_id >= 0 else text


class Written:
    """How a tokenizer writes its tokens, by the content of FILE."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._continues = ""
        if config["model"].get("type") == "WordPiece":
            self._continues = config["model"].get("continuing_subword_prefix", "##")
        self.is_bytes = '"ByteLevel"' in json.dumps(
            [config.get("pre_tokenizer"), config.get("decoder")]
        )

    def piece(self, text: str) -> bytes:
        """Return the UTF-8 of a token, with the space before it."""
        if self._continues:
            if text.startswith(self._continues):
                return text.removeprefix(self._continues).encode()
            return f" {text}".encode()
        if self.is_bytes and all(char in _BYTES_OF for char in text):
            return bytes(_BYTES_OF[char] for char in text)
        return piece_bytes(text)


def piece_bytes(text: str) -> bytes:
    """Return the UTF-8 of a piece as SentencePiece writes it: ▁ is a space, <0x0A> is a byte."""
    if byte := _BYTE.fullmatch(text):
        return bytes([int(byte[1], 16)])
    return text.replace(SPACE, " ").encode()
