"""Scaled dot-product attention, and the multi-head layer built on it.

B batch, H heads, Q query positions, K key positions, D model width, E width of one head (d_k for
queries and keys, d_v for values).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from core.config import ModelConfig
from core.heads import Site
from core.model.part import Shapes, products
from core.model.probe import Probe, Step, probed


def attend(
    query_BHQE: Tensor, key_BHKE: Tensor, value_BHKE: Tensor, visible_BQK: Tensor | None
) -> Tensor:
    """Mix the values, each in proportion to how well its key matches the query (eq. 1).

    This is the fused kernel, for when nobody looks; `attend_probed` is the same in single steps.

    Args:
        query_BHQE: What each position is looking for.
        key_BHKE: What each position can be found by.
        value_BHKE: What each position gives when it is found.
        visible_BQK: True where a query may look at a key; dimensions of size 1 broadcast. None
            where nothing is hidden, which is faster than a mask of nothing but True.

    Returns:
        mixed_BHQE, the weighted mean of the values; zeros where a query may see nothing.
    """
    visible_BHQK = None if visible_BQK is None else visible_BQK[:, None]
    return scaled_dot_product_attention(query_BHQE, key_BHKE, value_BHKE, attn_mask=visible_BHQK)


def attention_weights(scores_BHQK: Tensor) -> Tensor:
    """Return the softmax of masked scores; a row of nothing but −∞ becomes zeros.

    −∞ alone would give NaN, and a large negative number instead of −∞ would give a uniform row
    that looks like attention.

    >>> import torch
    >>> attention_weights(torch.tensor([[0.0, 0.0], [-math.inf, -math.inf]])).tolist()
    [[0.5, 0.5], [0.0, 0.0]]
    """
    blind_BHQ1 = (scores_BHQK == -math.inf).all(dim=-1, keepdim=True)
    return scores_BHQK.masked_fill(blind_BHQ1, 0.0).softmax(dim=-1).masked_fill(blind_BHQ1, 0.0)


def attend_probed(
    query_BHQE: Tensor,
    key_BHKE: Tensor,
    value_BHKE: Tensor,
    visible_BQK: Tensor | None,
    *,
    probe: Probe,
    site: Site,
) -> Tensor:
    """Do what `attend` does in single steps, each handed to the probe."""
    if visible_BQK is None:
        shape = (len(query_BHQE), query_BHQE.shape[2], key_BHKE.shape[2])
        visible_BQK = query_BHQE.new_ones(shape, dtype=torch.bool)
    visible_BQK = probe.at(site, Step.VISIBLE, visible_BQK)
    query_BHQE = probe.at(site, Step.QUERY, query_BHQE)
    key_BHKE = probe.at(site, Step.KEY, key_BHKE)
    value_BHKE = probe.at(site, Step.VALUE, value_BHKE)
    products_BHQK = probe.at(site, Step.PRODUCTS, query_BHQE @ key_BHKE.transpose(-2, -1))
    # Dividing by √d_k keeps the scores' variance near 1, so that the softmax does not saturate.
    scores_BHQK = products_BHQK / math.sqrt(query_BHQE.shape[-1])
    scores_BHQK = probe.at(site, Step.SCORES, scores_BHQK)
    scores_BHQK = scores_BHQK.masked_fill(~visible_BQK[:, None], -math.inf)
    scores_BHQK = probe.at(site, Step.MASKED_SCORES, scores_BHQK)
    weights_BHQK = probe.at(site, Step.WEIGHTS, attention_weights(scores_BHQK))
    return probe.at(site, Step.MIXED, weights_BHQK @ value_BHKE)


@dataclass(frozen=True, slots=True)
class KeysValues:
    """What the positions of a memory can be found by, and what they give, in every head."""

    key_BHKE: Tensor
    value_BHKE: Tensor

    def then(self, later: Self) -> Self:
        """Return these positions followed by later ones."""
        return type(self)(
            torch.cat([self.key_BHKE, later.key_BHKE], dim=2),
            torch.cat([self.value_BHKE, later.value_BHKE], dim=2),
        )

    def rows(self, index_B: Tensor) -> Self:
        """Return some sentences of the batch, in the order of the index."""
        return type(self)(self.key_BHKE[index_B], self.value_BHKE[index_B])


class Stage(StrEnum):
    """What one head does, one after the other."""

    QUERIES = "queries"
    KEYS = "keys"
    VALUES = "values"
    PRODUCTS = "products"
    SCALE = "scale"
    MASK = "mask"
    SOFTMAX = "softmax"
    MIX = "mix"
    CONCATENATE = "concatenate"
    OUTPUT = "output"


class MultiHeadAttention(nn.Module):
    """Several heads look at once, each through projections of its own (section 3.2.2)."""

    memory_symbol = "x"
    """What keys and values are made of: the sequence itself."""

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        self.n_heads, self.d_k, self.d_v = config.n_heads, config.d_k, config.d_v
        self.query = nn.Linear(config.d_model, config.n_heads * config.d_k)
        self.key = nn.Linear(config.d_model, config.n_heads * config.d_k)
        self.value = nn.Linear(config.d_model, config.n_heads * config.d_v)
        self.output = nn.Linear(config.n_heads * config.d_v, config.d_model)

    def keys_values(self, memory_BKD: Tensor, probe: Probe | None = None) -> KeysValues:
        """Project a memory: in self-attention the sequence itself, else what the encoder made."""
        memory_BKD = probed(probe, self.site, Step.MEMORY, memory_BKD)
        return KeysValues(self._split(self.key(memory_BKD)), self._split(self.value(memory_BKD)))

    def forward(
        self, x_BQD: Tensor, memory: KeysValues, visible_BQK: Tensor | None, probe: Probe | None
    ) -> Tensor:
        """Let every position of x look at the memory, and return what it took from there.

        Returns:
            attended_BQD.
        """
        x_BQD = probed(probe, self.site, Step.QUERY_INPUT, x_BQD)
        query_BHQE = self._split(self.query(x_BQD))
        attending = (query_BHQE, memory.key_BHKE, memory.value_BHKE, visible_BQK)
        if probe is not None and probe.sees(self.site):
            mixed_BHQE = attend_probed(*attending, probe=probe, site=self.site)
        else:
            mixed_BHQE = attend(*attending)
        concatenated_BQD = mixed_BHQE.transpose(1, 2).flatten(2)
        return self.output(concatenated_BQD)

    def multiply_adds(self, n_queries: int, n_keys: int) -> int:
        """Return the work of a pass; a hidden key counts like a visible one."""
        projected = products(self.query, n_queries) + products(self.output, n_queries)
        remembered = products(self.key, n_keys) + products(self.value, n_keys)
        return projected + remembered + self.n_heads * n_queries * n_keys * (self.d_k + self.d_v)

    def shapes(self, n_queries: int, n_keys: int) -> Shapes:
        """Return the sizes of the steps between what comes in and what is added."""
        n_heads = self.n_heads
        return (
            ("query", (n_heads, n_queries, self.d_k)),
            ("key", (n_heads, n_keys, self.d_k)),
            ("value", (n_heads, n_keys, self.d_v)),
            ("scores", (n_heads, n_queries, n_keys)),
            ("weights", (n_heads, n_queries, n_keys)),
            ("mixed", (n_heads, n_queries, self.d_v)),
        )

    def stages(self, head: int) -> Mapping[Stage, str]:
        """Return the stages of a head in order, each with its formula in LaTeX."""
        given, d_model, d_k, d_v = self.memory_symbol, self.query.in_features, self.d_k, self.d_v
        last = self.n_heads - 1
        joined = r"\text{head}_0" + (rf"\cdots \text{{head}}_{{{last}}}" if last else "")
        return {
            Stage.QUERIES: rf"q_i = x_i W^Q + b^Q, \quad W^Q: {d_model} \times {d_k}",
            Stage.KEYS: rf"k_j = {given}_j W^K + b^K, \quad W^K: {d_model} \times {d_k}",
            Stage.VALUES: rf"v_j = {given}_j W^V + b^V, \quad W^V: {d_model} \times {d_v}",
            Stage.PRODUCTS: rf"q_i \cdot k_j = \sum_{{e=0}}^{{{d_k - 1}}} q_{{ie}}\, k_{{je}}",
            Stage.SCALE: r"s_{ij} = q_i \cdot k_j \,/ \sqrt{d_k} = q_i \cdot k_j \,/ "
            rf"\sqrt{{{d_k}}} = q_i \cdot k_j \,/\, {math.sqrt(d_k):.3g}",
            Stage.MASK: r"s_{ij} + M_{ij}, \quad M_{ij} = 0 \text{ if visible, else } {-\infty}",
            Stage.SOFTMAX: r"w_{ij} = e^{s_{ij} + M_{ij}} \,/ \sum_{j'} e^{s_{ij'} + M_{ij'}}",
            Stage.MIX: rf"\text{{head}}_{{{head},i}} = \sum_j w_{{ij}}\, v_j",
            Stage.CONCATENATE: rf"[\,{joined}\,], \quad "
            rf"{self.n_heads} \times {d_v} = {self.n_heads * d_v}",
            Stage.OUTPUT: rf"[\,{joined}\,]\, W^O + b^O = \sum_h \text{{head}}_h W^O_h + b^O",
        }

    def _split(self, projected_BKD: Tensor) -> Tensor:
        """Give every head its share of the width: projected_BKD → split_BHKE."""
        n_sentences, n_positions, width = projected_BKD.shape
        split = (n_sentences, n_positions, self.n_heads, width // self.n_heads)
        return projected_BKD.view(split).transpose(1, 2)
