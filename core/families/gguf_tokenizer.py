"""The tokenizer inside a GGUF file: byte-level BPE, or pieces with scores as LLaMA 2 has them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers

from .family import FamilyError
from .fast_tokenizer import SPACE, FastTokenizer
from .gguf_file import GGUFReader

_NORMAL, _UNKNOWN, _CONTROL, _USER, _UNUSED, _BYTE = 1, 2, 3, 4, 5, 6
"""Kinds of tokens."""
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
_SPLITTERS: Mapping[str, pre_tokenizers.PreTokenizer] = {
    "gpt-2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "smollm": pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    ),
    "llama-bpe": pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(_LLAMA3), "isolated"), _BYTES]
    ),
}
"""How a text is cut before pieces are put together, by the name that GGUF has for it."""


def gguf_tokenizer(path: Path, n: int) -> FastTokenizer:
    """Return the tokenizer of a GGUF file.

    Raises:
        FamilyError: There is none, it is damaged, or of a kind that is not known.
    """
    try:
        reader = GGUFReader(path)
        start = "tokenizer.ggml."
        found = {
            name.removeprefix(start): field.contents()
            for name, field in reader.fields.items()
            if name.startswith(start)
        }
        return _tokenizer(path, found, n)
    except FamilyError:
        raise
    # A damaged file has the library read anything as anything.
    except Exception as error:
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        raise FamilyError(
            "the tokenizer in {path} cannot be read: {why}", path=path, why=why
        ) from error


def _tokenizer(path: Path, found: Mapping[str, Any], n: int) -> FastTokenizer:
    kind, texts = found.get("model"), found.get("tokens")
    if not isinstance(texts, list) or not texts:
        raise FamilyError("there is no tokenizer in {path}", path=path)
    numbers = {text: number for number, text in enumerate(texts)}
    kinds = found.get("token_type") or [_NORMAL] * len(texts)
    if len(numbers) < len(texts) or len(kinds) != len(texts):
        raise FamilyError("the tokenizer in {path} names a token twice, or is cut off", path=path)
    if kind == "gpt2":
        fast = _byte_level(path, found, numbers)
    elif kind == "llama":
        fast = _by_scores(found, numbers)
    else:
        raise FamilyError(
            "the tokenizer in {path} is of the kind {kind}; known are 'gpt2' and 'llama'",
            path=path,
            kind=repr(kind),
        )
    special = [
        AddedToken(text, normalized=False, special=True)
        for text, each in zip(texts, kinds, strict=True)
        if each in (_CONTROL, _UNKNOWN)
    ]
    fast.add_special_tokens(special)
    fast.add_tokens(
        [
            AddedToken(text, normalized=False)
            for text, each in zip(texts, kinds, strict=True)
            if each == _USER
        ]
    )
    return FastTokenizer(fast, n, _about(found, texts))


def _about(found: Mapping[str, Any], texts: list[str]) -> dict[str, Any]:
    """Return what is put around every text, as `tokenizer_config.json` says it."""
    # Where a file says nothing, llama.cpp puts BOS before the texts of the older kind.
    usual = found["model"] == "llama"
    about: dict[str, Any] = {
        "add_bos_token": bool(found.get("add_bos_token", usual)),
        "add_eos_token": bool(found.get("add_eos_token", False)),
    }
    for name in ("bos", "eos"):
        number = found.get(f"{name}_token_id")
        if number is not None:
            about[f"{name}_token"] = texts[number]
    return about


def _byte_level(
    path: Path, found: Mapping[str, Any], numbers: dict[str, int]
) -> tokenizers.Tokenizer:
    pre = found.get("pre", "gpt-2")
    splitter = _SPLITTERS.get("gpt-2" if pre == "default" else pre)
    if splitter is None:
        raise FamilyError(
            "the tokenizer in {path} cuts texts as {pre}; known are {known}",
            path=path,
            pre=repr(pre),
            known=", ".join(_SPLITTERS),
        )
    merges = [(left, right) for left, _, right in (each.partition(" ") for each in found["merges"])]
    fast = tokenizers.Tokenizer(models.BPE(numbers, merges, ignore_merges=pre == "llama-bpe"))
    fast.pre_tokenizer = splitter
    fast.decoder = decoders.ByteLevel()
    return fast


def _by_scores(found: Mapping[str, Any], numbers: dict[str, int]) -> tokenizers.Tokenizer:
    """Return a tokenizer that puts the pair together first whose whole has the best score."""
    scores = found["scores"]
    pairs = sorted(
        (
            (-scores[number], text[:cut], text[cut:])
            for text, number in numbers.items()
            for cut in range(1, len(text))
            if text[:cut] in numbers and text[cut:] in numbers
        ),
        key=lambda pair: pair[0],
    )
    fast = tokenizers.Tokenizer(
        models.BPE(
            numbers,
            [(left, right) for _, left, right in pairs],
            unk_token="<unk>",  # noqa: S106
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    before = [normalizers.Prepend(SPACE)] if found.get("add_space_prefix", True) else []
    fast.normalizer = normalizers.Sequence([*before, normalizers.Replace(" ", SPACE)])
    fast.decoder = decoders.Sequence(
        [
            decoders.Replace(SPACE, " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    return fast
