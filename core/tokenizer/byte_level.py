"""Byte-level BPE that is trained here, so that any Unicode text can be typed.

The special tokens live outside the BPE vocabulary (ids 0, 1 and 2, before its first), so that no
typed text, `</s>` least of all, can ever turn into one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers, trainers

from ..messages import Message, error_text
from ..vocabulary import EOS, FIRST_ID, SPECIAL_TEXTS
from .bpe_json import tokenizer_of_json
from .tokenizer import Encoding, Tokenizer, byte_characters
from .words import BEFORE_UNSPACED, WORDS, without_surrogates

STRAIGHT, CURLY = "'", "’"
MASK = "[MASK]"
"""The mask token as it is typed."""
_APOSTROPHES = {
    STRAIGHT: normalizers.Replace(CURLY, STRAIGHT),
    # Beside a letter on one side only it may be a quotation mark.
    CURLY: normalizers.Replace(Regex(r"(?<=\p{L})'(?=\p{L})"), CURLY),
}
_WITHIN_WORD = re.compile(r"(?<=[^\W\d_])['’](?=[^\W\d_])")


class ByteLevelTokenizer(Tokenizer):
    """Byte-level BPE trained on a task, with PAD, BOS and EOS in front.

    For an encoder alone it has a token more, MASK, which stands last and which can be typed.
    """

    def __init__(
        self,
        bpe: tokenizers.Tokenizer,
        begins: tuple[int, ...] = (),
        ends: tuple[int, ...] = (EOS,),
    ) -> None:
        """Make a tokenizer from a trained one.

        Args:
            bpe: Without special tokens but MASK.
            begins: Ids before every text, for a decoder alone.
            ends: Ids after every source.
        """
        self._bpe = bpe
        byte_of = {char: byte for byte, char in byte_characters().items()}
        pieces = sorted(bpe.get_vocab(with_added_tokens=False).items(), key=lambda each: each[1])
        mask = bpe.token_to_id(MASK)
        mask_id = -1 if mask is None else mask + FIRST_ID
        texts = [bytes(byte_of[char] for char in text) for text, _ in pieces]
        super().__init__(
            [*[b""] * FIRST_ID, *texts, *([] if mask is None else [b""])],
            SPECIAL_TEXTS | ({} if mask is None else {mask_id: "MASK"}),
            bpe.pre_tokenizer,
            begins=begins,
            ends=ends,
            mask_id=mask_id,
        )

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        vocab_size: int,
        apostrophe: str = STRAIGHT,
        *,
        masks: bool = False,
    ) -> Self:
        """Learn at most `vocab_size` tokens, specials and the 256 bytes included.

        Args:
            texts: To learn from.
            vocab_size: The most tokens.
            apostrophe: The one that the model sees and writes.
            masks: Whether there is a mask token.
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
                normalizers.Replace(Regex(BEFORE_UNSPACED), ""),
            ]
        )
        bpe.pre_tokenizer = WORDS
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size - FIRST_ID - masks,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        )
        bpe.train_from_iterator(texts, trainer)
        if masks:
            bpe.add_special_tokens([tokenizers.AddedToken(MASK, normalized=False)])
        return cls(bpe)

    @classmethod
    def from_json(
        cls, text: str, begins: tuple[int, ...] = (), ends: tuple[int, ...] = (EOS,)
    ) -> Self:
        """Read what `to_json` wrote.

        Args:
            text: The content of the file.
            begins: Ids before every text, for a decoder alone.
            ends: Ids after every source.

        Raises:
            ValueError: The text is no tokenizer, or not a byte-level one.
        """
        try:
            return cls(tokenizer_of_json(text), begins, ends)
        except Exception as error:  # the library raises bare Exception
            raise ValueError(
                Message("not a byte-level tokenizer: {why}", why=error_text(error))
            ) from error

    def to_json(self) -> str:
        """Return the tokenizer in the format of the `tokenizers` library."""
        return self._bpe.to_str(pretty=True)

    def files(self) -> dict[str, bytes]:
        """Return the one file of the tokenizer."""
        return {"tokenizer.json": self.to_json().encode()}

    def normalise(self, text: str) -> str:
        """Return the text as the model sees it: NFC, one kind of apostrophe, single spaces."""
        normal: str = self._bpe.normalizer.normalize_str(text)
        return normal.removeprefix(" ")

    def encode_all(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode many texts at once, which is faster than one by one."""
        texts = list(map(without_surrogates, texts))
        encodings = self._bpe.encode_batch(texts, add_special_tokens=False)
        return [
            Encoding(tuple([piece + FIRST_ID for piece in each.ids]), text, each)
            for text, each in zip(texts, encodings, strict=True)
        ]

    def ids_of_all(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of many texts and nothing else, which is faster."""
        texts = list(map(without_surrogates, texts))
        encodings = self._bpe.encode_batch_fast(texts, add_special_tokens=False)
        return [[piece + FIRST_ID for piece in encoding.ids] for encoding in encodings]


def usual_apostrophe(texts: Iterable[str]) -> str:
    """Return the apostrophe that texts have within words more often; the straight one in a tie.

    >>> usual_apostrophe(["l’été", "d'un ’mot’"]), usual_apostrophe(["aujourd’hui"])
    ("'", '’')
    """
    counts = Counter(each for text in texts for each in _WITHIN_WORD.findall(text))
    return CURLY if counts[CURLY] > counts[STRAIGHT] else STRAIGHT
