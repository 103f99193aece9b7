"""What those settings of a model can be that are words."""

from collections.abc import Mapping
from typing import Literal, get_args

Norm = Literal["post", "pre"]
NormKind = Literal["layer", "rms", "batch", "none"]
Shared = Literal["nothing", "qk", "kv", "qkv"]
Positions = Literal["sinusoidal", "halves", "learned", "buckets", "rotary", "none"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
Scores = Literal["dot", "additive", "linear"]
ScoreScale = Literal["width", "width_and_layer", "none"]
RotaryPairs = Literal["neighbours", "halves"]
EncoderMixing = Literal[
    "attention", "average", "convolution", "none", "gru", "lstm", "gru_two_way", "lstm_two_way"
]
DecoderMixing = Literal["attention", "average", "convolution", "none", "gru", "lstm"]
Cross = Literal["attention", "none"]
Memory = Literal["last", "first", "same", "mixed"]
Decoder = Literal["causal", "parallel"]
Length = Literal["end", "predicted"]
Tied = Literal["all", "target", "embeddings", "none"]

CHOICES: Mapping[str, tuple[str, ...]] = {
    "norm": get_args(Norm),
    "norm_kind": get_args(NormKind),
    "shared": get_args(Shared),
    "positions": get_args(Positions),
    "activation": get_args(Activation),
    "scores": get_args(Scores),
    "score_scale": get_args(ScoreScale),
    "encoder_mixing": get_args(EncoderMixing),
    "decoder_mixing": get_args(DecoderMixing),
    "cross": get_args(Cross),
    "memory": get_args(Memory),
    "decoder": get_args(Decoder),
    "length": get_args(Length),
    "rotary_pairs": get_args(RotaryPairs),
    "tied": get_args(Tied),
}
"""Setting → what it can be."""
