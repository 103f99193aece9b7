"""The decoder for one new token, taken apart into plain products: what runs when nobody looks.

The modules of `core.model` say what is computed; called for a single token they spend more time
on calls than on numbers. Here the same arithmetic stands in a row, with the projections to query,
key and value as one product. `benchmarks/decode.py` measures what that brings, and a test holds the
two to the same logits.

B batch, S source length, P positions of the buffers, H heads, E width of one head, D model width,
V vocabulary.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.model import Transformer
from core.model.attention import KeysValues, attend
from core.model.layers import DecoderLayer, Residual

FIRST_POSITIONS = 64
"""Room for so many tokens at first; doubled whenever it is full."""

Map = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class _PlannedLayer:
    """One decoder layer's weights, and its keys and values."""

    query_key_value: Map
    """All three projections of self-attention at once."""
    self_output: Map
    cross_query: Map
    cross_output: Map
    feed_forward: Map
    norms: tuple[Map, ...]
    source: KeysValues
    """Of cross-attention, for the whole source."""
    past: KeysValues
    """key_BHPE and value_BHPE of self-attention, filled up to the plan's length."""

    def doubled(self) -> "_PlannedLayer":
        """Return the layer with twice the room for keys and values."""
        empty = (torch.empty_like(self.past.key_BHKE), torch.empty_like(self.past.value_BHKE))
        return replace(self, past=self.past.then(KeysValues(*empty)))

    def rows(self, index_B: Tensor) -> "_PlannedLayer":
        """Return the layer for some of the sentences, in the order of the index."""
        return replace(self, source=self.source.rows(index_B), past=self.past.rows(index_B))


class DecoderPlan:
    """Feeds one token after the other; a model in evaluation mode, without probes."""

    def __init__(self, model: Transformer, memory_BSD: Tensor, visible_B1S: Tensor | None) -> None:
        """Begin targets whose sources are encoded; the mask is None where nothing is hidden."""
        self.length = 0
        self._room = FIRST_POSITIONS
        self._config = model.config
        self._pre_norm = model.config.norm == "pre"
        self._visible_B1S = visible_B1S
        embedding = model.target_embedding
        self._tokens_VD, self._positions_PD = embedding.tokens.weight, embedding.positions_PD
        self._scale = embedding.scale
        self._final_norm, self._output = _normalising(model.decoder_norm), _linear(model.output)
        self._layers = [_planned(cast(DecoderLayer, each), memory_BSD) for each in model.decoder]

    def feed(self, token_B: Tensor) -> Tensor:
        """Append a token to every target, and return logits_BV for the one after it."""
        if self.length == self._room:
            self._layers = [layer.doubled() for layer in self._layers]
            self._room *= 2
        x_BD = F.embedding(token_B, self._tokens_VD) * self._scale + self._positions_PD[self.length]
        for layer in self._layers:
            self_norm, cross_norm, feed_forward_norm = layer.norms
            x_BD = self._around(self_norm, x_BD, partial(self._look_back, layer))
            x_BD = self._around(cross_norm, x_BD, partial(self._look_at_source, layer))
            x_BD = self._around(feed_forward_norm, x_BD, layer.feed_forward)
        self.length += 1
        return self._output(self._final_norm(x_BD))

    def rows(self, index_B: Tensor) -> "DecoderPlan":
        """Return a plan that goes on with some of the sentences, in the order of the index."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._visible_B1S = None if self._visible_B1S is None else self._visible_B1S[index_B]
        other._layers = [layer.rows(index_B) for layer in self._layers]
        return other

    def _around(self, norm: Map, x_BD: Tensor, sublayer: Map) -> Tensor:
        if self._pre_norm:
            return x_BD + sublayer(norm(x_BD))
        return norm(x_BD + sublayer(x_BD))

    def _look_back(self, layer: _PlannedLayer, x_BD: Tensor) -> Tensor:
        n, d_k, d_v = self._config.n_heads, self._config.d_k, self._config.d_v
        n_sentences, end = len(x_BD), self.length + 1
        query_BD, key_BD, value_BD = layer.query_key_value(x_BD).split(
            (n * d_k, n * d_k, n * d_v), dim=-1
        )
        key_BHPE, value_BHPE = layer.past.key_BHKE, layer.past.value_BHKE
        key_BHPE[:, :, self.length] = key_BD.view(n_sentences, n, d_k)
        value_BHPE[:, :, self.length] = value_BD.view(n_sentences, n, d_v)
        query_BH1E = query_BD.view(n_sentences, n, 1, d_k)
        mixed_BH1E = attend(query_BH1E, key_BHPE[:, :, :end], value_BHPE[:, :, :end], None)
        return layer.self_output(mixed_BH1E.flatten(1))

    def _look_at_source(self, layer: _PlannedLayer, x_BD: Tensor) -> Tensor:
        split = (len(x_BD), self._config.n_heads, 1, self._config.d_k)
        query_BH1E = layer.cross_query(x_BD).view(split)
        source = layer.source
        mixed_BH1E = attend(query_BH1E, source.key_BHKE, source.value_BHKE, self._visible_B1S)
        return layer.cross_output(mixed_BH1E.flatten(1))


def _planned(layer: DecoderLayer, memory_BSD: Tensor) -> _PlannedLayer:
    attention, cross = layer.self_attention, layer.cross_attention
    parts = (attention.query, attention.key, attention.value)
    weight = torch.cat([part.weight for part in parts])
    bias = torch.cat([part.bias for part in parts])
    expand, contract = _linear(layer.feed_forward.expand), _linear(layer.feed_forward.contract)
    source = cross.keys_values(memory_BSD)
    return _PlannedLayer(
        query_key_value=lambda x_BD: F.linear(x_BD, weight, bias),
        self_output=_linear(attention.output),
        cross_query=_linear(cross.query),
        cross_output=_linear(cross.output),
        feed_forward=lambda x_BD: contract(expand(x_BD).relu_()),
        norms=tuple(_normalising(cast(Residual, each).norm) for each in layer.residuals),
        source=source,
        past=KeysValues(_room_like(source.key_BHKE), _room_like(source.value_BHKE)),
    )


def _room_like(projected_BHSE: Tensor) -> Tensor:
    n_sentences, n_heads, _, width = projected_BHSE.shape
    return projected_BHSE.new_empty(n_sentences, n_heads, FIRST_POSITIONS, width)


def _linear(module: nn.Linear) -> Map:
    weight, bias = module.weight, module.bias
    return lambda x_BD: F.linear(x_BD, weight, bias)


def _normalising(module: nn.Module) -> Map:
    if not isinstance(module, nn.LayerNorm):
        return lambda x_BD: x_BD
    shape, weight, bias, eps = module.normalized_shape, module.weight, module.bias, module.eps
    return lambda x_BD: F.layer_norm(x_BD, shape, weight, bias, eps)
