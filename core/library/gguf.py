"""GGUF: one file with settings, a tokenizer and quantised weights, as llama.cpp reads it.

The library reads it, and takes what it says of its sizes at its word: so they are compared with the
file first.
"""

import io
import struct
from collections.abc import Mapping
from contextlib import redirect_stderr
from mmap import ACCESS_READ, mmap
from pathlib import Path
from reprlib import repr
from typing import Any

import torch
from torch import Tensor
from transformers import TokenizersBackend
from transformers.integrations.gguf.gguf_tokenizer_mapping import (
    GGUF_PRE_TOKENIZER_SPLITS,
    convert_gguf_tokenizer,
    get_gguf_tokenizer,
)
from transformers.integrations.gguf.reader import GgufHeader, read_gguf_metadata
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

from ..tokenizer.bpe_json import reason_of
from .checkpoint import OpeningError
from .reading import outline

MOST_VALUES = 1 << 21
"""Of all arrays of a file's settings; a vocabulary of 256,000 tokens has half of them."""
_WIDTHS = (1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8)
"""Bytes of a value, by the number of its kind."""
_TEXT, _ARRAY = 8, 9
_AS_GPT2 = ("default", "gpt-2", "smollm")
"""Names for cutting a text as GPT-2 does; SmolLM's digits, each alone, come out of its merges."""


def header_of(path: Path) -> GgufHeader:
    """Return the header of a file, after comparing its sizes with the file's.

    Raises:
        OpeningError: It is damaged, or says that it is larger than it is.
    """
    try:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            size = len(content)
            _require_few(content)
        header = GgufHeader.from_file(str(path))
        # Several weights may be said to lie in the same place, or where none are.
        end = 0
        for tensor in sorted(header.tensors, key=lambda each: each.offset):
            if tensor.offset < end:
                raise ValueError(f"{tensor.name} lies in another weight")
            end = tensor.offset + tensor.nbytes
        if end > max(0, size - header.data_start):
            raise ValueError("its weights are larger than it is")
    # A damaged file has the library read anything as anything.
    except Exception as error:
        raise _unreadable(path, error) from error
    return header


def _require_few(content: mmap) -> None:
    """Refuse more settings, weights and values in arrays than any model has.

    Raises:
        ValueError: There are more.
        struct.error: The file ends before.
    """
    n_tensors, n_settings = struct.unpack_from("<QQ", content, 8)
    at, n_values = 24, n_tensors + n_settings
    for _ in range(min(n_settings, MOST_VALUES)):
        at = _after_text(content, at)
        (kind,) = struct.unpack_from("<I", content, at)
        at, n = at + 4, 1
        if kind == _ARRAY:
            kind, n = struct.unpack_from("<IQ", content, at)
            at, n_values = at + 12, n_values + n
        if n_values > MOST_VALUES:
            raise ValueError(f"its settings have more than {MOST_VALUES:,} values")
        if kind == _TEXT:
            for _ in range(n):
                at = _after_text(content, at)
        else:
            at += n * _WIDTHS[kind]


def _after_text(content: mmap, at: int) -> int:
    (length,) = struct.unpack_from("<Q", content, at)
    return at + 8 + int(length)


def settings_in(path: Path) -> Mapping[str, Any]:
    """Return the settings of a file whose header was looked at; of arrays of texts the lengths."""
    return read_gguf_metadata(str(path))[0]


def read_gguf(path: Path) -> tuple[Mapping[str, Any], Mapping[str, Tensor]]:
    """Return settings and weights under the names that the library has for them.

    Raises:
        OpeningError: It is damaged, or of a kind that the library does not read.
    """
    header_of(path)
    try:
        _require_plain_positions(path)
        told = load_gguf_checkpoint(str(path))["config"]
        made = outline(told)
        # It draws how far it is.
        with redirect_stderr(io.StringIO()):
            read = load_gguf_checkpoint(
                str(path), return_tensors=True, model_to_load=made, torch_dtype=torch.float32
            )
    except OpeningError:
        raise
    except Exception as error:
        raise _unreadable(path, error) from error
    return told, read["tensors"]


def _require_plain_positions(path: Path) -> None:
    """Refuse positions that are scaled, which the library would leave out without a word."""
    found, names = read_gguf_metadata(str(path))
    architecture = found["general.architecture"]
    scaling = found.get(f"{architecture}.rope.scaling.type", "none")
    is_read = scaling == "none" or architecture == "gpt-oss"
    if not is_read or any(name.startswith("rope_") for name in names):
        raise OpeningError("{path} scales its positions in a way that is not read here", path=path)


def gguf_tokenizer(path: Path) -> TokenizersBackend:
    """Return the tokenizer of a GGUF file.

    Raises:
        OpeningError: There is none, it is damaged, or of a kind that is not known.
    """
    header_of(path)
    try:
        architecture, found, about = get_gguf_tokenizer(str(path))
        cut = found.get("pre_tokenizer_type", "default")
        if cut not in (*_AS_GPT2, *GGUF_PRE_TOKENIZER_SPLITS):
            raise OpeningError(
                "the tokenizer in {path} cuts texts as {cut}, which is not known here",
                path=path,
                cut=repr(cut),
            )
        made, _ = convert_gguf_tokenizer(architecture, found)
        return TokenizersBackend(tokenizer_object=made, **about)
    except OpeningError:
        raise
    except Exception as error:
        why = reason_of(error)
        raise OpeningError(
            "the tokenizer in {path} cannot be read: {why}", path=path, why=why
        ) from error


def _unreadable(path: Path, error: Exception) -> OpeningError:
    return OpeningError("{path} cannot be read as GGUF: {why}", path=path, why=reason_of(error))
