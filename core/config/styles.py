"""What makes a BERT a BERT, a GPT-2 a GPT-2 …: the settings in which each differs from the paper.

With the sizes of a published model they are that model (`core.config.published`); with those of a
preset, one as small as the others here, to be trained on the same tasks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..messages import N_
from .model import ModelConfig
from .settings import ConfigError, one_of


@dataclass(frozen=True, slots=True)
class Style:
    """A kind of Transformer without its sizes."""

    label: str
    """What people call it; a message to translate."""
    stack: str
    """"encoder" or "decoder" where it is one of them alone, which then has all layers; else empty.
    """
    settings: Mapping[str, Any]
    steps: int = 1
    """Factor on a preset's steps that this kind needs to learn copying as well as the paper's."""


_GPT2 = {
    "norm": "pre",
    "activation": "gelu_tanh",
    "positions": "learned",
    "embedding_scale": False,
}
_LLAMA = {
    "norm": "pre",
    "norm_kind": "rms",
    "norm_eps": 1e-6,
    "activation": "silu",
    "gated": True,
    "attention_bias": False,
    "ff_bias": False,
    "positions": "rotary",
    "tied": "none",
    "embedding_scale": False,
}
_BERT = {
    "norm": "post",
    "norm_eps": 1e-12,
    "activation": "gelu",
    "positions": "learned",
    "embedding_scale": False,
    "embedding_norm": True,
    "logit_bias": True,
    "head_transform": True,
}
_T5 = {
    "norm": "pre",
    "norm_kind": "rms",
    "norm_eps": 1e-6,
    "positions": "buckets",
    "attention_bias": False,
    "ff_bias": False,
    "score_scale": "none",
    "embedding_scale": False,
    "logit_scale": True,
}
_MARIAN = {"norm": "post", "positions": "halves", "activation": "silu", "logit_bias": True}
STYLES: Mapping[str, Style] = {
    "bert": Style(N_("encoder alone (BERT)"), "encoder", _BERT, 4),
    "gpt2": Style(N_("decoder alone (GPT-2)"), "decoder", _GPT2, 2),
    "llama": Style(N_("decoder alone (LLaMA)"), "decoder", _LLAMA),
    "marian": Style(N_("encoder and decoder (Marian)"), "", _MARIAN),
    "t5": Style(N_("encoder and decoder (T5)"), "", _T5),
}
"""By the name that a `config.json` has for the family."""


def style_named(name: str) -> Style:
    """Return a kind by its name.

    Raises:
        ConfigError: There is none.
    """
    if name not in STYLES:
        raise ConfigError(
            "like is {name}, not {known}", name=repr(name), known=one_of(tuple(STYLES))
        )
    return STYLES[name]


def in_style(name: str, sizes: ModelConfig) -> ModelConfig:
    """Return a model of a kind with the sizes of another.

    One stack has the layers of both.

    Raises:
        ConfigError: There is no such kind.
    """
    style = style_named(name)
    return replace(one_stack(sizes, style.stack), **style.settings)


def one_stack(sizes: ModelConfig, stack: str) -> ModelConfig:
    """Return a model whose layers are all in one stack; with an empty name, the same model."""
    n = sizes.n_encoder_layers + sizes.n_decoder_layers
    layers = {"encoder": (n, 0), "decoder": (0, n)}.get(
        stack, (sizes.n_encoder_layers, sizes.n_decoder_layers)
    )
    return replace(sizes, n_encoder_layers=layers[0], n_decoder_layers=layers[1])
