"""The tokenizers of a Marian: pieces of two SentencePiece models, numbers of one vocabulary or two.

source.spm, target.spm    find the pieces of a text
vocab.json                piece → number; of the source alone where there is target_vocab.json
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr
from typing import Any

from sentencepiece import SentencePieceProcessor

# The module makes its classes when it is imported.
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from ..messages import error_text
from ..vocabulary import Span
from .bpe_json import LONGEST_REPLACEMENT, TokenizerError, longest_replacement, reason_of
from .fast_tokenizer import SPACE, piece_bytes
from .tokenizer import Encoding, Offsets, Tokenizer
from .words import without_surrogates

SOURCE, TARGET = "source.spm", "target.spm"
_VOCAB, _TARGET_VOCAB = "vocab.json", "target_vocab.json"
MARIAN_FILES = (SOURCE, TARGET, _VOCAB, _TARGET_VOCAB)
_LANGUAGE = re.compile(r">>[^<>\s]+<<")
"""At the beginning of a text: what Marian shall translate into."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What the files of a tokenizer say."""

    model: SentencePieceProcessor
    """Finds the pieces of a text."""
    numbers: Mapping[str, int]
    """Piece → number."""
    files: Mapping[str, bytes]
    """Name → content."""
    specials: Mapping[int, str]
    """Number → name, of those that are none of a text."""
    unknown: int
    """Stands for a piece without a number."""
    ends: tuple[int, ...]


class SentencePieceTokenizer(Tokenizer):
    """Pieces that a SentencePiece model finds, under the numbers that a model has for them."""

    def __init__(self, found: _Read, n: int) -> None:
        """Take a tokenizer as it was read, for a model with n tokens."""
        self._found = found
        written = {number: text for text, number in found.numbers.items()}
        named = {number: text for number, text in written.items() if number not in found.specials}
        super().__init__(
            [piece_bytes(named.get(number, "")) for number in range(n)],
            found.specials,
            ends=found.ends,
        )

    def files(self) -> dict[str, bytes]:
        """Return what a run's folder keeps of it."""
        return dict(self._found.files)

    def normalise(self, text: str) -> str:
        """Return the text as the model sees it."""
        return (
            str(self._found.model.normalize(without_surrogates(text)))
            .replace(SPACE, " ")
            .strip(" ")
        )

    def encode_all(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode texts, one after the other."""
        found = []
        for text in map(without_surrogates, texts):
            parts = list(self._parts(text))
            ids = tuple(number for number, _ in parts)
            found.append(Encoding(ids, text, Offsets([(at.start, at.end) for _, at in parts])))
        return found

    def _parts(self, text: str) -> Iterator[tuple[int, Span]]:
        """Yield each number with the place that it came from."""
        start, language = 0, _LANGUAGE.match(text)
        if language and language[0] in self._found.numbers:
            start = language.end()
            yield self._found.numbers[language[0]], Span(0, start)
        yield from self._pieces_of(text[start:], start)

    def _pieces_of(self, text: str, start: int) -> Iterator[tuple[int, Span]]:
        if not text:
            return
        found = self._found.model.encode(text, out_type="offset_mapping")
        for piece, (first, end) in zip(found["pieces"], found["offsets"], strict=True):
            number = self._found.numbers.get(piece, self._found.unknown)
            yield number, Span(start + first, start + end)


def marian_tokenizers(
    files: Mapping[str, bytes], n_source: int, n_target: int, pad_id: int
) -> tuple[SentencePieceTokenizer, SentencePieceTokenizer]:
    """Return the source's and the target's tokenizer.

    Args:
        files: The content of `MARIAN_FILES`, those that there are.
        n_source: Tokens that the model reads.
        n_target: Tokens that it writes.
        pad_id: The model's padding token; −1 for none.

    Raises:
        TokenizerError: A file is missing or damaged, or does not fit the model.
    """
    own = _TARGET_VOCAB if _TARGET_VOCAB in files else _VOCAB
    if missing := [name for name in (TARGET, _VOCAB) if name not in files]:
        raise TokenizerError("there is no {name} beside {file}", name=missing[0], file=SOURCE)
    return (
        _marian(files, SOURCE, _VOCAB, n_source, pad_id),
        _marian(files, TARGET, own, n_target, pad_id),
    )


def _marian(
    files: Mapping[str, bytes], file: str, vocab: str, n: int, pad_id: int
) -> SentencePieceTokenizer:
    numbers = _numbers_in(files[vocab], vocab, n)
    end, unknown = numbers.get("</s>"), numbers.get("<unk>")
    if end is None or unknown is None:
        raise TokenizerError("{file} has no </s> or no <unk>", file=vocab)
    names = {"</s>", "<unk>", "<pad>", "<s>", *filter(_LANGUAGE.fullmatch, numbers)}
    specials = {numbers[text]: text for text in names if text in numbers}
    model = sentencepiece_model(files[file], file)
    own = [at for at in range(model.get_piece_size()) if not _is_special(model, at)]
    if not any(model.id_to_piece(at) in numbers for at in own):
        raise TokenizerError(
            "{vocabulary} has none of the pieces of {file}", vocabulary=vocab, file=file
        )
    if 0 <= pad_id < n:
        specials.setdefault(pad_id, "<pad>")
    kept = {name: files[name] for name in (file, vocab)}
    return SentencePieceTokenizer(_Read(model, numbers, kept, specials, unknown, (end,)), n)


def _numbers_in(content: bytes, file: str, n: int) -> dict[str, int]:
    """Return the number of each token that a vocabulary names.

    Raises:
        TokenizerError: It is damaged, or a number is none of a model with n tokens, or is twice
            there.
    """
    try:
        numbers: dict[str, Any] = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise TokenizerError(
            "{file} is damaged: {why}", file=file, why=error_text(error)
        ) from error
    if not isinstance(numbers, dict):
        raise TokenizerError("{file} holds no JSON object", file=file)
    for text, number in numbers.items():
        if type(number) is not int or not 0 <= number < n:
            raise TokenizerError(
                "{file} gives {text} the number {number}; the model has {n}",
                file=file,
                text=repr(text),
                number=repr(number),
                n=n,
            )
    if len(set(numbers.values())) < len(numbers):
        raise TokenizerError("{file} gives two tokens the same number", file=file)
    return numbers


def sentencepiece_model(content: bytes, file: str) -> SentencePieceProcessor:
    """Return what finds the pieces of a text.

    Raises:
        TokenizerError: The file is damaged, or puts much in the place of a character.
    """
    try:
        found = ModelProto.FromString(content)
        table = found.normalizer_spec.precompiled_charsmap
        if longest_replacement(table) > LONGEST_REPLACEMENT:
            raise TokenizerError(
                "{file} puts more than {n} bytes in the place of a character",
                file=file,
                n=LONGEST_REPLACEMENT,
            )
        return SentencePieceProcessor(model_proto=content)
    except TokenizerError:
        raise
    # A damaged file has the library raise anything.
    except Exception as error:
        raise TokenizerError(
            "{file} is no SentencePiece model: {why}", file=file, why=reason_of(error)
        ) from error


def _is_special(model: SentencePieceProcessor, number: int) -> bool:
    """Say whether a piece is none of a text."""
    return bool(model.is_control(number) or model.is_unknown(number))
