"""The Transformer of "Attention Is All You Need", written to be read.

Read in this order, from the bottom of Figure 1 upward:
    positional.py   positions
    attention.py    scaled dot-product attention, and the layer of several heads
    layers.py       an encoder layer and a decoder layer
    transformer.py  the two stacks, embeddings and output
    cache.py        keys and values kept during decoding
    probe.py        how to observe and change a forward pass
    probes.py       the available probes

Shapes, one legend for the whole of `core`; every tensor with an axis ends in its axes:
    B batch            S source length     T target length
    Q query positions  K key positions     P positions of a table
    H heads            E width of one head D model width
    F feed-forward     V vocabulary        L layers
"""

from .building import build, count_parameters, unfilled
from .cache import Cache
from .probe import Probe, Probes, Step
from .probes import (
    EnoughError,
    Freeze,
    Override,
    Patch,
    Record,
    Remask,
    Silence,
    Uniform,
    Unplace,
    UntilWeights,
)
from .transformer import Transformer

__all__ = [
    "Cache",
    "EnoughError",
    "Freeze",
    "Override",
    "Patch",
    "Probe",
    "Probes",
    "Record",
    "Remask",
    "Silence",
    "Step",
    "Transformer",
    "Uniform",
    "Unplace",
    "UntilWeights",
    "build",
    "count_parameters",
    "unfilled",
]
