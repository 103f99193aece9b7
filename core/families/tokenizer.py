"""The tokenizers that come with models of other libraries, by the files that they are made of.

tokenizer.json            any that the `tokenizers` library runs
vocab.txt                 WordPiece, as BERT has it
vocab.json, merges.txt    byte-level BPE, as GPT-2 has it
source.spm, target.spm    SentencePiece, as Marian has it: see `core.families.sentencepiece`
spiece.model, tokenizer.model   SentencePiece, as T5 and LLaMA have it: see there
a GGUF file               has one inside: see `core.families.gguf_tokenizer`
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, processors

from ..messages import error_text
from ..tokenizer.tokenizer import Tokenizer
from .family import FamilyError
from .fast_tokenizer import ABOUT, FILE, FastTokenizer, fast_of_json
from .gguf_tokenizer import gguf_tokenizer
from .sentencepiece import (
    SENTENCEPIECE_FILES,
    marian_tokenizers,
    sentencepiece_tokenizer,
)
from .tokenizer_files import read_named, read_numbers, read_text

_BERT_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_KEPT = ("add_bos_token", "add_eos_token", "bos_token", "eos_token", "do_lower_case")
"""What matters here of ABOUT."""


def read_tokenizers(
    path: Path, n_source: int, n_target: int, told: Mapping[str, Any]
) -> tuple[Tokenizer, Tokenizer]:
    """Return the source's and the target's tokenizer, which are one for all but a few models.

    Args:
        path: A folder, or a GGUF file.
        n_source: Tokens that the model reads.
        n_target: Tokens that it writes.
        told: What `config.json` says.

    Raises:
        FamilyError: There is none that is known, it is damaged, or it does not fit the model.
    """
    if path.is_file():
        one: Tokenizer = gguf_tokenizer(path, n_source)
        return one, one
    if (path / "source.spm").is_file():
        return marian_tokenizers(path, n_source, n_target, told)
    if n_source != n_target:
        raise FamilyError(
            "the model reads {n_source} tokens and writes {n_target}, and there is one tokenizer",
            n_source=n_source,
            n_target=n_target,
        )
    one = _one(path, n_source, told)
    return one, one


def _one(path: Path, n: int, told: Mapping[str, Any]) -> Tokenizer:
    found = read_named(path / ABOUT) if (path / ABOUT).is_file() else {}
    about = {name: found[name] for name in _KEPT if name in found}
    if (path / FILE).is_file():
        return FastTokenizer(fast_of_json(read_text(path / FILE)), n, about)
    for name in SENTENCEPIECE_FILES:
        if (path / name).is_file():
            return sentencepiece_tokenizer(path / name, n, told, about)
    if (path / "vocab.txt").is_file():
        return FastTokenizer(_word_piece(path, about), n)
    if (path / "vocab.json").is_file() and (path / "merges.txt").is_file():
        return FastTokenizer(_byte_level(path, n), n, about)
    raise FamilyError(
        "there is no tokenizer in {path}; known are {file}, vocab.txt, "
        "vocab.json with merges.txt, {others}, and source.spm with target.spm",
        path=path,
        file=FILE,
        others=", ".join(SENTENCEPIECE_FILES),
    )


def _word_piece(path: Path, about: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """Return the WordPiece tokenizer of a list of words, one in each line."""
    lines = read_text(path / "vocab.txt").split("\n")
    words = [line.rstrip("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]
    numbers = {word: number for number, word in enumerate(words)}
    if len(numbers) < len(words):
        raise FamilyError("{file} names a token twice", file=path / "vocab.txt")
    missing = [special for special in ("[UNK]", "[CLS]", "[SEP]") if special not in numbers]
    if missing:
        raise FamilyError("{file} has no {missing}", file=path / "vocab.txt", missing=missing[0])
    fast = tokenizers.Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))  # noqa: S106
    fast.normalizer = normalizers.BertNormalizer(lowercase=about.get("do_lower_case", True) is True)
    fast.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    fast.decoder = decoders.WordPiece()
    fast.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(each, numbers[each]) for each in ("[CLS]", "[SEP]")],
    )
    fast.add_special_tokens([each for each in _BERT_SPECIALS if each in numbers])
    return fast


def _byte_level(path: Path, n: int) -> tokenizers.Tokenizer:
    """Return the byte-level BPE of a vocabulary and the merges that make it."""
    numbers = read_numbers(path / "vocab.json", n)
    lines = [line.rstrip("\r") for line in read_text(path / "merges.txt").split("\n")]
    pairs = [line.partition(" ") for line in lines if line and not line.startswith("#version")]
    merges = [(left, right) for left, _, right in pairs]
    try:
        fast = tokenizers.Tokenizer(models.BPE(numbers, merges))
    # The library raises bare Exception.
    except Exception as error:
        raise FamilyError(
            "vocab.json and merges.txt do not go together: {why}", why=error_text(error)
        ) from error
    fast.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    fast.decoder = decoders.ByteLevel()
    end = "<|endoftext|>"
    if end in numbers:
        fast.add_special_tokens([AddedToken(end, normalized=False)])
    return fast
