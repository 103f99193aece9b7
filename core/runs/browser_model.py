"""A run as numbers and names that a browser can compute with: see viz/live.

A browser computes the Transformer of the paper and its common variants: `_ANY` and `_SOME`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..config import ModelConfig
from ..messages import Message
from ..tokenizer.byte_level import CURLY, STRAIGHT, ByteLevelTokenizer
from ..tokenizer.tokenizer import byte_characters
from ..tokenizer.words import WORD
from .files import about
from .run import Run

_ANY = frozenset(
    ("vocab_size", "n_encoder_layers", "n_decoder_layers", "d_model", "d_ff", "n_heads")
    + ("d_k", "d_v", "dropout", "max_positions", "norm_eps", "sinusoid_base", "target_ratio")
    + ("norm", "tied", "score_scale", "embedding_scale", "feed_forward", "attention_bias")
    + ("ff_bias",)
)
"""Settings with any value."""
_SOME: Mapping[str, tuple[str, ...]] = {
    "positions": ("sinusoidal", "learned", "none"),
    "norm_kind": ("layer", "rms", "none"),
}
"""Settings with some of their values; all others have to be what they are by default."""


@dataclass(frozen=True, slots=True, eq=False)
class BrowserModel:
    """What a browser needs of a run."""

    header: dict[str, Any]
    """Settings, the tokenizer, and the names of the tensors, which JSON can hold."""
    tensors: list[NDArray[Any]]
    """Each flat: 32-bit floats, or the 16 bits of half-precision floats if all weights are such."""
    words: NDArray[np.uint8]
    """The source words that training saw, as UTF-8 with a line feed between them."""


def browser_model(run: Run) -> BrowserModel:
    """Return what a browser needs to compute a run.

    Raises:
        RunError: Its model has a part that a browser does not compute.
    """
    config, tokenizer = run.model.config, run.tokenizer
    if part := _not_computed(config):
        raise about(run.path, Message("a browser does not compute this model ({part})", part=part))
    if not isinstance(tokenizer, ByteLevelTokenizer):
        raise about(run.path, Message("a browser does not know this tokenizer"))
    stored = json.loads(tokenizer.to_json())
    if stored["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] != WORD:
        raise about(run.path, Message("its tokenizer is of an older version: train it again"))
    saved = {name: each.detach() for name, each in run.model.saved().items()}
    is_half = all(torch.equal(each, each.half().to(each.dtype)) for each in saved.values())
    numbers = [each.float().flatten().numpy() for each in saved.values()]
    header = {
        "config": {name: getattr(config, name) for name in _NEEDED},
        "names": list(saved),
        "tokenizer": _tokenizer(tokenizer, stored["model"]["merges"]),
    }
    tensors = [each.astype("<f2").view("<u2") if is_half else each for each in numbers]
    words = "\n".join(sorted(run.known_words)).encode()
    return BrowserModel(header, tensors, np.frombuffer(words, np.uint8))


_NEEDED = (
    *("n_encoder_layers", "n_decoder_layers", "d_model", "d_ff", "n_heads", "d_k", "d_v"),
    *("norm", "norm_kind", "norm_eps", "positions", "sinusoid_base", "embedding_scale"),
    *("score_scale", "feed_forward", "max_positions", "target_ratio", "never_said", "bos_id"),
    "eos_ids",
)


def _not_computed(config: ModelConfig) -> str:
    """Return a setting that a browser does not compute, with its value; empty if there is none."""
    if not config.is_encoder_decoder:
        return "one stack alone"
    for setting in fields(config):
        value = getattr(config, setting.name)
        if setting.name not in _ANY and value not in _SOME.get(setting.name, (setting.default,)):
            return f"{setting.name}: {value}"
    return ""


def _tokenizer(tokenizer: ByteLevelTokenizer, merges: list[list[str]]) -> dict[str, Any]:
    ids = range(tokenizer.vocab_size)
    signs = byte_characters()
    return {
        "pieces": ["".join(signs[byte] for byte in tokenizer.piece(each)) for each in ids],
        "texts": [token.text for each in ids for token in tokenizer.describe([each])],
        "merges": [" ".join(pair) for pair in merges],
        "apostrophe": CURLY if tokenizer.normalise("l'a") == "l’a" else STRAIGHT,
        "end": tokenizer.ends[0],
    }
