"""Allowed values of the settings that are words."""

from typing import Literal

Norm = Literal["post", "pre"]
NormKind = Literal["layer", "rms", "batch", "none"]
Shared = Literal["nothing", "qk", "kv", "qkv"]
SinusoidalPositions = Literal["sinusoidal", "halves"]
"""Tables of sines and cosines, which come in pairs."""
ComputedPositions = SinusoidalPositions
"""Tables that are computed, not learned; `core.model.positional` has a function for each."""
Positions = Literal[ComputedPositions, "learned", "buckets", "rotary", "none"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
Scores = Literal["dot", "additive", "linear"]
ScoreScale = Literal["width", "none"]
DecoderMixing = Literal["attention", "average", "convolution", "fixed", "none", "gru", "lstm"]
EncoderMixing = Literal[DecoderMixing, "gru_two_way", "lstm_two_way"]
Cross = Literal["attention", "own", "none"]
Memory = Literal["last", "first", "same", "mixed"]
Decoder = Literal["causal", "parallel"]
Length = Literal["end", "predicted"]
Predicts = Literal["tokens", "tags", "class"]
Tied = Literal["all", "target", "embeddings", "none"]
