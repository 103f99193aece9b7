"""How to look into a forward pass, and how to change it: one mechanism.

Every sublayer and both embeddings have a site (`encoder.2.self`). Without a probe nothing is kept,
and attention runs the fused kernel. Where a probe is interested, the sublayer computes its steps
one by one, hands each to the probe, and goes on with what the probe returns. The model does not
know the probes themselves (`core.model.probes`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Protocol

from torch import Tensor

from ..heads import Site


class Step(StrEnum):
    """The steps of a sublayer with their shapes: all have the first five, in the order of the norm.

    Post-norm: STREAM_IN, ADDED, BEFORE_NORM (their sum), AFTER_NORM, which is STREAM_OUT. Pre-norm:
    STREAM_IN, which is BEFORE_NORM, AFTER_NORM, ADDED, STREAM_OUT (STREAM_IN + ADDED).
    """

    STREAM_IN = "stream_in"
    """x_BKD, the residual stream as it comes in"""
    BEFORE_NORM = "before_norm"
    """x_BKD, the norm's input"""
    AFTER_NORM = "after_norm"
    """normed_BKD, the norm's output"""
    ADDED = "added"
    """added_BKD, what the sublayer adds to the stream"""
    STREAM_OUT = "stream_out"
    """x_BKD, the residual stream as it goes on"""

    TOKENS = "tokens"
    """tokens_BKD, only at an embedding: the tokens' vectors, times √d_model"""
    POSITIONS = "positions"
    """positions_KD, only at an embedding: what is added to them"""
    SEGMENTS = "segments"
    """segments_BKD, only at an embedding that has some: which text a token belongs to"""
    GATE = "gate"
    """gate_BKF, only in a gated feed-forward layer: what its units are multiplied with"""
    HIDDEN = "hidden"
    """hidden_BKF, only in a feed-forward layer: its units after activation and gate"""
    STATE = "state"
    """state_BKD, only in a recurrent unit: what it has kept of the positions up to each"""

    # The steps of attention, in order.
    MEMORY = "memory"
    """memory_BKD, what keys and values are projected from: in self-attention the sequence itself,
    with a cache its new positions; in cross-attention what the encoder made, with a cache once"""
    QUERY_INPUT = "query_input"
    """x_BQD, what queries are projected from; the stream as it comes in, or normed (pre-norm)"""
    VISIBLE = "visible"
    """visible_BQK, True where a query may look; broadcast over heads."""
    QUERY = "query"
    """query_BHQE"""
    KEY = "key"
    """key_BHKE; where keys are turned, with a cache its new positions"""
    ROTATED_QUERY = "rotated_query"
    """query_BHQE turned by its position, only with rotary positions"""
    ROTATED_KEY = "rotated_key"
    """key_BHKE turned by its position, only with rotary positions"""
    VALUE = "value"
    """value_BHKE"""
    PRODUCTS = "products"
    """products_BHQK, each query times each key; of their features in linear attention, and in
    additive attention what the small network makes of both"""
    POSITION_BIAS = "position_bias"
    """bias_1HQK, what is added to the scores for each distance, only with buckets of positions"""
    SCORES = "scores"
    """scores_BHQK, the products divided by √d_k, plus the position bias, if any"""
    MASKED_SCORES = "masked_scores"
    """scores_BHQK with −∞ where a query may not look; with 0 in linear attention, which divides
    them by their sum in the place of a softmax"""
    WEIGHTS = "weights"
    """weights_BHQK; a row sums to 1, or is all zeros when it may see nothing"""
    MIXED = "mixed"
    """mixed_BHQE, the weighted mean of the values, per head, before W^O"""

    # Of a model with a pointer, at the last cross-attention.
    COPY_WEIGHTS = "copy_weights"
    """weights_BHQK from which the pointer copies, averaged over heads"""
    P_GEN = "p_gen"
    """p_gen_BQ, the share of the next word's probability that is generated, not copied; 0 to 1"""

    # Of a model that predicts how long a target will be.
    LENGTH = "length"
    """logits_BN, scores for the target's length less the source's, from −32 to 32"""


class Probe(Protocol):
    """What records or changes the steps of a forward pass."""

    def sees(self, site: Site) -> bool:
        """Say whether the sublayer must be computed step by step for this probe."""
        ...

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Receive one step's tensor and return the one to go on with."""
        ...


@dataclass(frozen=True)
class Probes:
    """Several probes in a row; each gets the result of those before it."""

    probes: Sequence[Probe]

    def sees(self, site: Site) -> bool:
        """Whether any probe does."""
        return any(probe.sees(site) for probe in self.probes)

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Pass the tensor through the interested probes."""
        for probe in self.probes:
            if probe.sees(site):
                tensor = probe.at(site, step, tensor)
        return tensor


Hook = Callable[[Step, Tensor], Tensor]
"""Receives one step's tensor and returns the one to go on with."""


def hook_of(probe: Probe | None, site: Site) -> Hook:
    """Return the hook for the steps of a site: `unchanged` if no probe is interested."""
    if probe is None or not probe.sees(site):
        return unchanged
    return partial(probe.at, site)


def unchanged(step: Step, tensor: Tensor) -> Tensor:
    """Return a step as it is."""
    return tensor


def probed(probe: Probe | None, site: Site, step: Step, tensor: Tensor) -> Tensor:
    """Pass a step through a probe; return it unchanged if no probe is interested."""
    if probe is None or not probe.sees(site):
        return tensor
    return probe.at(site, step, tensor)
