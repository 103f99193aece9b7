"""GGUF: one file with settings, a tokenizer and quantised weights, as llama.cpp reads it.

Queries and keys lie in Meta's layout there: neighbouring dimensions turn together.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from reprlib import repr
from typing import Any, Literal

import gguf
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from .family import FamilyError

_SETTINGS = {
    "block_count": "num_hidden_layers",
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "rope.freq_base": "rope_theta",
}
"""What GGUF calls the settings of a LLaMA → what its `config.json` calls them."""
_REFUSED = ("rope.scaling.type", "expert_count", "attention.sliding_window")
"""Settings that make it another model than is known here."""
_NAMES = {
    r"token_embd\.weight": "model.embed_tokens.weight",
    r"output_norm\.weight": "model.norm.weight",
    r"output\.weight": "lm_head.weight",
    r"blk\.(\d+)\.attn_norm\.weight": r"model.layers.\1.input_layernorm.weight",
    r"blk\.(\d+)\.ffn_norm\.weight": r"model.layers.\1.post_attention_layernorm.weight",
    r"blk\.(\d+)\.attn_([qkv])\.(weight|bias)": r"model.layers.\1.self_attn.\2_proj.\3",
    r"blk\.(\d+)\.attn_output\.(weight|bias)": r"model.layers.\1.self_attn.o_proj.\2",
    r"blk\.(\d+)\.ffn_(gate|up|down)\.(weight|bias)": r"model.layers.\1.mlp.\2_proj.\3",
}


MOST_VALUES = 1 << 23
"""Values of all arrays of a file's settings; a vocabulary of 256,000 tokens has a sixth of them."""


class GGUFReader(gguf.GGUFReader):
    """The library's reader, which takes what a file says of its sizes at its word.

    Here nothing is read beyond the file's end, and no more than MOST_VALUES.
    """

    _n_values = 0

    def _get(
        self,
        offset: int,
        dtype: npt.DTypeLike,
        count: int = 1,
        override_order: Literal["I", "S", "<"] | None = None,
    ) -> npt.NDArray[Any]:
        if int(offset) + np.dtype(dtype).itemsize * int(count) > len(self.data):
            raise ValueError("it ends before what it says it holds")
        return super()._get(offset, dtype, count, override_order)

    def _get_field_parts(
        self, orig_offs: int, raw_type: int
    ) -> tuple[int, list[npt.NDArray[Any]], list[int], list[gguf.GGUFValueType]]:
        if raw_type == gguf.GGUFValueType.ARRAY:
            self._n_values += int(self._get(orig_offs + 4, np.uint64)[0])
            if self._n_values > MOST_VALUES:
                raise ValueError(f"its settings have more than {MOST_VALUES:,} values")
        return super()._get_field_parts(orig_offs, raw_type)


def read_gguf(path: Path) -> tuple[Mapping[str, Any], Mapping[str, Tensor]]:
    """Return settings and weights under the names that a LLaMA folder has for them.

    Raises:
        FamilyError: It is damaged, or of another architecture.
    """
    try:
        reader = GGUFReader(path)
        found = {name: field.contents() for name, field in reader.fields.items()}
        return _told(path, found), dict(_weights(reader))
    except FamilyError:
        raise
    # A damaged file has the library read anything as anything.
    except Exception as error:
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        raise FamilyError("{path} cannot be read as GGUF: {why}", path=path, why=why) from error


def _told(path: Path, found: Mapping[str, Any]) -> Mapping[str, Any]:
    architecture = found.get("general.architecture")
    if architecture != "llama":
        raise FamilyError(
            "{path} is of the architecture {architecture}; known is 'llama'",
            path=path,
            architecture=repr(architecture),
        )
    for name in _REFUSED:
        if found.get(f"llama.{name}") not in (None, 0, "none"):
            raise FamilyError(
                "{path} says {name} is {value}: not known here",
                path=path,
                name=name,
                value=repr(found[f"llama.{name}"]),
            )
    if any(name.startswith("rope_freqs") for name in found):
        raise FamilyError("{path} has frequencies of its own: not known here", path=path)
    told = {
        own: found[f"llama.{name}"] for name, own in _SETTINGS.items() if f"llama.{name}" in found
    }
    ids = {"bos_token_id": "bos_token_id", "eos_token_id": "eos_token_id"}
    for name, own in (*ids.items(), ("padding_token_id", "pad_token_id")):
        if f"tokenizer.ggml.{name}" in found:
            told[own] = found[f"tokenizer.ggml.{name}"]
    return {"model_type": "llama", "hidden_act": "silu", **told}


def _weights(reader: GGUFReader) -> Iterator[tuple[str, Tensor]]:
    # Several may be said to lie in the same place.
    if sum(int(tensor.n_bytes) for tensor in reader.tensors) > len(reader.data):
        raise ValueError("its weights are larger than it is")
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        yield _renamed(tensor.name), torch.from_numpy(values.copy())


def _renamed(name: str) -> str:
    """Return what a LLaMA folder calls a weight; the name itself where it has none.

    >>> _renamed("blk.3.attn_q.weight"), _renamed("mystery")
    ('model.layers.3.self_attn.q_proj.weight', 'mystery')
    """
    for pattern, to in _NAMES.items():
        if found := re.fullmatch(pattern, name):
            return found.expand(to)
    return name
