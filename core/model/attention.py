"""Scaled dot-product attention, and the multi-head layer built on it.

B batch, H heads, Q query positions, K key positions, D model width, E width of one head (d_k for
queries and keys, d_v for values).
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from ..config import ModelConfig
from ..heads import Site
from .cache import KeysValues
from .positional import Rotary
from .probe import Hook, Probe, Step, hook_of, probed, unchanged
from .scoring import (
    USUAL,
    Additive,
    Scoring,
    attend_linearly,
    attention_weights,
    divisor,
    shares,
)


def attend(
    query_BHQE: Tensor,
    key_BHKE: Tensor,
    value_BHKE: Tensor,
    visible_BQK: Tensor | None,
    scoring: Scoring = USUAL,
) -> Tensor:
    """Mix the values, each in proportion to how well its key matches the query (eq. 1).

    This is the fused kernel, without a probe; `attend_probed` computes the same in single steps.

    Args:
        query_BHQE: What each position is looking for.
        key_BHKE: What each position can be found by.
        value_BHKE: What each position contributes when it is found.
        visible_BQK: True where a query may look at a key; dimensions of size 1 broadcast. None
            if nothing is hidden, which is faster than a mask that is True everywhere.
        scoring: How scores are computed; by default, products divided by √d_k.

    Returns:
        mixed_BHQE, the weighted mean of the values; zeros if a query may look at no key.
    """
    if scoring.linear and (visible_BQK is None or visible_BQK.shape[1] == 1):
        return attend_linearly(query_BHQE, key_BHKE, value_BHKE, visible_BQK)
    if scoring.linear or scoring.additive is not None:
        # No fused kernel supports these.
        return attend_probed(query_BHQE, key_BHKE, value_BHKE, visible_BQK, scoring, unchanged)
    mask_BHQK = None if visible_BQK is None else visible_BQK[:, None]
    scale = None if scoring.divisor is None else 1 / scoring.divisor
    bias_1HQK = scoring.bias_1HQK
    if bias_1HQK is None:
        return scaled_dot_product_attention(
            query_BHQE, key_BHKE, value_BHKE, attn_mask=mask_BHQK, scale=scale
        )
    biased_BHQK = bias_1HQK if mask_BHQK is None else bias_1HQK.masked_fill(~mask_BHQK, -math.inf)
    mixed_BHQE = scaled_dot_product_attention(
        query_BHQE, key_BHKE, value_BHKE, attn_mask=biased_BHQK, scale=scale
    )
    # A row of −∞ only is NaN here.
    blind_BHQ1 = (biased_BHQK == -math.inf).all(dim=-1, keepdim=True)
    return mixed_BHQE.masked_fill(blind_BHQ1, 0.0)


def attend_probed(
    query_BHQE: Tensor,
    key_BHKE: Tensor,
    value_BHKE: Tensor,
    visible_BQK: Tensor | None,
    scoring: Scoring,
    hook: Hook,
) -> Tensor:
    """Compute `attend` step by step; `hook` gets each result and returns the one to go on with."""
    everything_BQK = None
    if visible_BQK is None:
        shape = (len(query_BHQE), query_BHQE.shape[2], key_BHKE.shape[2])
        visible_BQK = everything_BQK = query_BHQE.new_ones(shape, dtype=torch.bool)
    query_step, key_step = (
        (Step.ROTATED_QUERY, Step.ROTATED_KEY) if scoring.rotated else (Step.QUERY, Step.KEY)
    )
    visible_BQK = hook(Step.VISIBLE, visible_BQK)
    query_BHQE = hook(query_step, query_BHQE)
    key_BHKE = hook(key_step, key_BHKE)
    value_BHKE = hook(Step.VALUE, value_BHKE)
    products_BHQK = hook(Step.PRODUCTS, scoring.compared(query_BHQE, key_BHKE))
    # Dividing by √d_k keeps the scores' variance near 1, so that the softmax does not saturate.
    divided_by = math.sqrt(query_BHQE.shape[-1]) if scoring.divisor is None else scoring.divisor
    scores_BHQK = products_BHQK / divided_by
    if scoring.bias_1HQK is not None:
        scores_BHQK = scores_BHQK + hook(Step.POSITION_BIAS, scoring.bias_1HQK)
    scores_BHQK = hook(Step.SCORES, scores_BHQK)
    # Without a softmax, a score of 0 gives a weight of 0.
    hidden, weigh = (0.0, shares) if scoring.linear else (-math.inf, attention_weights)
    if visible_BQK is not everything_BQK:
        scores_BHQK = scores_BHQK.masked_fill(~visible_BQK[:, None], hidden)
    scores_BHQK = hook(Step.MASKED_SCORES, scores_BHQK)
    weights_BHQK = hook(Step.WEIGHTS, weigh(scores_BHQK))
    return hook(Step.MIXED, weights_BHQK @ value_BHKE)


class Unprojected(nn.Linear):
    """The identity in place of a projection; its weights are not saved."""

    def __init__(self, width: int) -> None:
        nn.Module.__init__(self)
        self.in_features = self.out_features = width
        self.register_buffer("weight", torch.eye(width), persistent=False)
        self.register_parameter("bias", None)

    def forward(self, x_BKD: Tensor) -> Tensor:
        """Return x_BKD."""
        return x_BKD


class MultiHeadAttention(nn.Module):
    """Several heads attend in parallel, each with its own projections (section 3.2.2)."""

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        self.n_heads, self.d_k, self.d_v = config.n_heads, config.d_k, config.d_v
        self.n_kv_heads = config.n_key_value_sets
        self.divisor = divisor(config)
        self.scores = config.scores
        self.has_bias_of_distances = config.positions == "buckets" and site.is_self
        self.rotary = Rotary(config) if config.positions == "rotary" and site.is_self else None
        bias = config.attention_bias
        width, projects = config.d_model, config.projections

        def projection(n_in: int, n_out: int, learned: bool) -> nn.Linear:
            return nn.Linear(n_in, n_out, bias) if learned else Unprojected(n_in)

        self.query = projection(width, self.n_heads * self.d_k, projects)
        self.key = projection(width, self.n_kv_heads * self.d_k, projects)
        self.value = projection(width, self.n_kv_heads * self.d_v, projects)
        self.output = projection(self.n_heads * self.d_v, width, config.output_projection)
        self.additive = Additive(config) if config.scores == "additive" else None
        self.shared = config.shared
        if self.shared in ("qk", "qkv"):
            self.key = self.query
        if self.shared in ("kv", "qkv"):
            self.value = self.key

    def keys_values(
        self, memory_BKD: Tensor, probe: Probe | None = None, start: int = 0
    ) -> KeysValues:
        """Project a memory: in self-attention the sequence itself, else the encoder's output.

        Args:
            memory_BKD: What keys and values are projected from.
            probe: Observes or changes the memory, and keys before they are turned.
            start: Position of the first key; used only by rotary positions.
        """
        memory_BKD = probed(probe, self.site, Step.MEMORY, memory_BKD)
        key_BHKE = self._split(self.key(memory_BKD), self.n_kv_heads)
        value_BHKE = self._split(self.value(memory_BKD), self.n_kv_heads)
        if self.rotary is not None:
            key_BHKE = self.rotary(probed(probe, self.site, Step.KEY, key_BHKE), start)
        return KeysValues(key_BHKE, value_BHKE)

    def forward(
        self,
        x_BQD: Tensor,
        memory: KeysValues,
        visible_BQK: Tensor | None,
        probe: Probe | None,
        bias_1HQK: Tensor | None = None,
    ) -> Tensor:
        """Attend from every position of x to the memory.

        Args:
            x_BQD: What queries are projected from; with rotary positions taken as the last Q
                positions of the memory.
            memory: Keys and values.
            visible_BQK: As in `attend`.
            probe: Observes or changes every step.
            bias_1HQK: Position bias of each head; None for none.

        Returns:
            attended_BQD.
        """
        x_BQD = probed(probe, self.site, Step.QUERY_INPUT, x_BQD)
        query_BHQE = self._split(self.query(x_BQD), self.n_heads)
        if self.rotary is not None:
            start = memory.key_BHKE.shape[2] - query_BHQE.shape[2]
            query_BHQE = self.rotary(probed(probe, self.site, Step.QUERY, query_BHQE), start)
        shared = memory.shared_by(self.n_heads)
        attending = (query_BHQE, shared.key_BHKE, shared.value_BHKE, visible_BQK)
        scoring, hook = self.scoring(bias_1HQK), hook_of(probe, self.site)
        if hook is unchanged:
            mixed_BHQE = attend(*attending, scoring)
        else:
            mixed_BHQE = attend_probed(*attending, scoring, hook)
        concatenated_BQD = mixed_BHQE.transpose(1, 2).flatten(2)
        return self.output(concatenated_BQD)

    def scoring(self, bias_1HQK: Tensor | None = None) -> Scoring:
        """Return how scores are computed, given the position bias of each head."""
        return Scoring(
            self.divisor, bias_1HQK, self.rotary is not None, self.additive, self.scores == "linear"
        )

    @property
    def divided_by(self) -> float:
        """Divisor of the products."""
        return math.sqrt(self.d_k) if self.divisor is None else self.divisor

    @property
    def output_HED(self) -> Tensor:
        """W^O, cut into the rows that read each head."""
        # A linear layer holds its matrix with a row for each number that it makes.
        return self.output.weight.T.unflatten(0, (self.n_heads, -1))

    def _split(self, projected_BKD: Tensor, n_heads: int) -> Tensor:
        """Split the width into heads: projected_BKD → split_BHKE."""
        n_sentences, n_positions, width = projected_BKD.shape
        split = (n_sentences, n_positions, n_heads, width // n_heads)
        return projected_BKD.view(split).transpose(1, 2)
