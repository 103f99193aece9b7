"""SentencePiece tokenizers, run by the `sentencepiece` package: T5's, LLaMA's, and Marian's."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentencepiece import SentencePieceProcessor

# The module makes its classes when it is imported.
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from ..tokenizer.bpe_json import LONGEST_REPLACEMENT, longest_replacement
from ..tokenizer.tokenizer import Encoding, Offsets, Tokenizer
from ..tokenizer.words import without_surrogates
from ..vocabulary import Span
from .family import FamilyError
from .fast_tokenizer import SPACE
from .tokenizer_files import read_bytes, read_numbers

SENTENCEPIECE_FILES = ("tokenizer.model", "spiece.model")
SOURCE, TARGET = "source.spm", "target.spm"
_VOCAB, _TARGET_VOCAB = "vocab.json", "target_vocab.json"
N_BLANKS = 100
"""The number of tokens of T5 that stand for what is left out of a text."""
_LANGUAGE = re.compile(r">>[^<>\s]+<<")
"""At the beginning of a text: what Marian shall translate into."""
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


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
    begins: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


class SentencePieceTokenizer(Tokenizer):
    """Pieces that a SentencePiece model finds, under the numbers that a model has for them."""

    def __init__(self, found: _Read, n: int) -> None:
        """Take a tokenizer as it was read, for a model with n tokens."""
        self._found = found
        written = {number: text for text, number in found.numbers.items()}
        unused = {number: f"unused {number}" for number in range(n) if number not in written}
        specials = unused | dict(found.specials)
        self._typed = {text: number for number, text in found.specials.items() if _is_typed(text)}
        super().__init__(
            [b"" if number in specials else _bytes_of(written[number]) for number in range(n)],
            specials,
            begins=found.begins,
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
        start = 0
        for typed in self._typed_in(text):
            yield from self._pieces_of(text[start : typed.start()], start)
            yield self._typed[typed[0]], Span(*typed.span())
            start = typed.end()
        yield from self._pieces_of(text[start:], start)

    def _typed_in(self, text: str) -> list[re.Match[str]]:
        """Return where tokens stand that can be typed."""
        if not self._typed:
            return []
        anywhere = re.compile("|".join(map(re.escape, self._typed)))
        found = list(anywhere.finditer(text))
        # A language stands at the beginning, and nowhere else.
        return [each for each in found if not _LANGUAGE.fullmatch(each[0]) or each.start() == 0]

    def _pieces_of(self, text: str, start: int) -> Iterator[tuple[int, Span]]:
        if not text:
            return
        found = self._found.model.encode(text, out_type="offset_mapping")
        for piece, (first, end) in zip(found["pieces"], found["offsets"], strict=True):
            number = self._found.numbers.get(piece, self._found.unknown)
            yield number, Span(start + first, start + end)


def sentencepiece_tokenizer(
    file: Path, n: int, told: Mapping[str, Any], about: Mapping[str, Any]
) -> SentencePieceTokenizer:
    """Return the tokenizer of a T5 or a LLaMA.

    Args:
        file: One of `SENTENCEPIECE_FILES`.
        n: Tokens of the model.
        told: What `config.json` says.
        about: What `tokenizer_config.json` says.

    Raises:
        FamilyError: The file is damaged, or has more tokens than the model.
    """
    content = read_bytes(file)
    model = _model_of(content, file)
    size = model.get_piece_size()
    if size > n:
        raise FamilyError("{file} has {size} tokens, and the model {n}", file=file, size=size, n=n)
    numbers = {model.id_to_piece(number): number for number in range(size)}
    specials = {
        number: model.id_to_piece(number) for number in range(size) if _is_special(model, number)
    }
    is_t5 = told.get("model_type") == "t5"
    if is_t5:
        blanks = {size + at: f"<extra_id_{N_BLANKS - 1 - at}>" for at in range(N_BLANKS)}
        specials |= {number: text for number, text in blanks.items() if number < n}
        numbers |= {text: number for number, text in blanks.items() if number < n}
    has_bos = about.get("add_bos_token", not is_t5) is True and model.bos_id() >= 0
    has_eos = about.get("add_eos_token", is_t5) is True and model.eos_id() >= 0
    found = _Read(
        model,
        numbers,
        {file.name: content},
        specials,
        model.unk_id(),
        begins=(model.bos_id(),) if has_bos else (),
        ends=(model.eos_id(),) if has_eos else (),
    )
    return SentencePieceTokenizer(found, n)


def marian_tokenizers(
    path: Path, n_source: int, n_target: int, told: Mapping[str, Any]
) -> tuple[SentencePieceTokenizer, SentencePieceTokenizer]:
    """Return the tokenizers of a Marian: pieces of two models, numbers of one vocabulary or two.

    Raises:
        FamilyError: A file is missing or damaged, or does not fit the model.
    """
    own = _TARGET_VOCAB if (path / _TARGET_VOCAB).is_file() else _VOCAB
    return (
        _marian(path, SOURCE, _VOCAB, n_source, told),
        _marian(path, TARGET, own, n_target, told),
    )


def _marian(
    path: Path, file: str, vocab: str, n: int, told: Mapping[str, Any]
) -> SentencePieceTokenizer:
    content = read_bytes(path / file)
    numbers = read_numbers(path / vocab, n)
    end, unknown = numbers.get("</s>"), numbers.get("<unk>")
    if end is None or unknown is None:
        raise FamilyError("{file} has no </s> or no <unk>", file=path / vocab)
    names = {"</s>", "<unk>", "<pad>", "<s>", *(text for text in numbers if _is_typed(text))}
    specials = {numbers[text]: text for text in names if text in numbers}
    model = _model_of(content, path / file)
    own = [at for at in range(model.get_piece_size()) if not _is_special(model, at)]
    if not any(model.id_to_piece(at) in numbers for at in own):
        raise FamilyError(
            "{vocabulary} has none of the pieces of {file}", vocabulary=path / vocab, file=file
        )
    pad = told.get("pad_token_id")
    if type(pad) is int and 0 <= pad < n:
        specials.setdefault(pad, "<pad>")
    kept = {file: content, vocab: read_bytes(path / vocab)}
    return SentencePieceTokenizer(_Read(model, numbers, kept, specials, unknown, ends=(end,)), n)


def _model_of(content: bytes, file: Path) -> SentencePieceProcessor:
    try:
        found = ModelProto.FromString(content)
        table = found.normalizer_spec.precompiled_charsmap
        if longest_replacement(table) > LONGEST_REPLACEMENT:
            raise FamilyError(
                "{file} puts more than {n} bytes in the place of a character",
                file=file,
                n=LONGEST_REPLACEMENT,
            )
        return SentencePieceProcessor(model_proto=content)
    except FamilyError:
        raise
    # A damaged file has the library raise anything.
    except Exception as error:
        why = str(error).strip().partition("\n")[0]
        raise FamilyError("{file} is no SentencePiece model: {why}", file=file, why=why) from error


def _is_special(model: SentencePieceProcessor, number: int) -> bool:
    """Say whether a piece is none of a text."""
    return bool(model.is_control(number) or model.is_unknown(number))


def _is_typed(text: str) -> bool:
    """Say whether a token can be typed: a language, or one of T5's blanks."""
    return bool(_LANGUAGE.fullmatch(text)) or text.startswith("<extra_id_")


def _bytes_of(text: str) -> bytes:
    if byte := _BYTE.fullmatch(text):
        return bytes([int(byte[1], 16)])
    return text.replace(SPACE, " ").encode()
