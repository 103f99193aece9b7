"""The decoder for one new token, taken apart into plain products: what runs when nobody looks.

The modules of `core.model` say what is computed; called for a single token they spend more time
on calls than on numbers. Here the same arithmetic stands in a row, with the projections to query,
key and value as one product. `benchmarks/decode.py` measures what that brings, and a test holds the
two to the same logits.

Planned is the model's own row of residual blocks, whatever it is. A part of a kind that is not
known here is refused by name, never left out; the modules themselves decode such a model.

B batch, S source length, P positions of the buffers, H heads, E width of one head, D model width,
V vocabulary.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.model import Transformer
from core.model.attention import KeysValues, attend
from core.model.layers import Layer, Residual
from core.model.norm import LayerNorm
from core.model.positional import Embedding
from core.model.sublayers import CrossAttention, FeedForward, SelfAttention, Sublayer

FIRST_POSITIONS = 64
"""Room for so many tokens at first; doubled whenever it is full."""

Map = Callable[[Tensor], Tensor]
Module = TypeVar("Module", bound=nn.Module)


class PlanError(ValueError):
    """A part of the model that the plan does not know; the message names it."""

    def __init__(self, part: str, module: object) -> None:
        super().__init__(f"no plan for {part}, which is a {type(module).__name__}")


class _Planned:
    """A sublayer's weights, and what it keeps of the positions before: here nothing."""

    __slots__ = ()

    def added(self, x_BD: Tensor, length: int, visible_B1S: Tensor | None) -> Tensor:
        """Return what is added to the stream of the token number `length`."""
        raise NotImplementedError

    def doubled(self) -> Self:
        """Return the same with twice the room for positions."""
        return self

    def rows(self, index_B: Tensor) -> Self:
        """Return the same for some of the sentences, in the order of the index."""
        return self


@dataclass(frozen=True, slots=True)
class _SelfAttention(_Planned):
    query_key_value: Map
    """All three projections at once."""
    output: Map
    n_heads: int
    d_k: int
    d_v: int
    past: KeysValues
    """key_BHPE and value_BHPE, filled up to the plan's length."""

    def added(self, x_BD: Tensor, length: int, visible_B1S: Tensor | None) -> Tensor:
        n, d_k, d_v = self.n_heads, self.d_k, self.d_v
        n_sentences, end = len(x_BD), length + 1
        query_BD, key_BD, value_BD = self.query_key_value(x_BD).split(
            (n * d_k, n * d_k, n * d_v), dim=-1
        )
        key_BHPE, value_BHPE = self.past.key_BHKE, self.past.value_BHKE
        key_BHPE[:, :, length] = key_BD.view(n_sentences, n, d_k)
        value_BHPE[:, :, length] = value_BD.view(n_sentences, n, d_v)
        query_BH1E = query_BD.view(n_sentences, n, 1, d_k)
        mixed_BH1E = attend(query_BH1E, key_BHPE[:, :, :end], value_BHPE[:, :, :end], None)
        return self.output(mixed_BH1E.flatten(1))

    def doubled(self) -> Self:
        empty = (torch.empty_like(self.past.key_BHKE), torch.empty_like(self.past.value_BHKE))
        return replace(self, past=self.past.then(KeysValues(*empty)))

    def rows(self, index_B: Tensor) -> Self:
        return replace(self, past=self.past.rows(index_B))


@dataclass(frozen=True, slots=True)
class _CrossAttention(_Planned):
    query: Map
    output: Map
    n_heads: int
    d_k: int
    source: KeysValues
    """Of the whole source."""

    def added(self, x_BD: Tensor, length: int, visible_B1S: Tensor | None) -> Tensor:
        query_BH1E = self.query(x_BD).view((len(x_BD), self.n_heads, 1, self.d_k))
        source = self.source
        mixed_BH1E = attend(query_BH1E, source.key_BHKE, source.value_BHKE, visible_B1S)
        return self.output(mixed_BH1E.flatten(1))

    def rows(self, index_B: Tensor) -> Self:
        return replace(self, source=self.source.rows(index_B))


@dataclass(frozen=True, slots=True)
class _FeedForward(_Planned):
    expand: Map
    contract: Map

    def added(self, x_BD: Tensor, length: int, visible_B1S: Tensor | None) -> Tensor:
        return self.contract(self.expand(x_BD).relu_())


@dataclass(frozen=True, slots=True)
class _Block:
    """A sublayer with its norm."""

    norm: Map
    pre_norm: bool
    sublayer: _Planned


class DecoderPlan:
    """Feeds one token after the other; a model in evaluation mode, without probes."""

    def __init__(self, model: Transformer, memory_BSD: Tensor, visible_B1S: Tensor | None) -> None:
        """Begin targets whose sources are encoded; the mask is None where nothing is hidden.

        Raises:
            PlanError: The model has a part that is not known here.
        """
        for written_out in _WRITTEN_OUT:
            if getattr(type(model), written_out) is not getattr(Transformer, written_out):
                raise PlanError(f"{written_out} of the model", model)
        if model.output_transform is not None or model.config.logit_scale:
            raise PlanError("the model", model)
        self.length = 0
        self._room = FIRST_POSITIONS
        self._visible_B1S = visible_B1S
        part = "decoder.embedding"
        embedding = _known(part, model.target_embedding, Embedding)
        self._tokens_VD = _known(part, embedding.tokens, nn.Embedding).weight
        self._positions_PD = _positions(part, embedding)
        self._scale = embedding.scale
        self._final_norm = _normalising("decoder.norm", model.decoder_norm)
        self._output = _linear("output", model.output)
        self._blocks = [
            block for layer in model.decoder for block in _blocks(cast(Layer, layer), memory_BSD)
        ]

    def feed(self, token_B: Tensor) -> Tensor:
        """Append a token to every target, and return logits_BV for the one after it."""
        if self.length == self._room:
            self._blocks = [
                replace(block, sublayer=block.sublayer.doubled()) for block in self._blocks
            ]
            self._room *= 2
        x_BD = F.embedding(token_B, self._tokens_VD) * self._scale + self._positions_PD[self.length]
        length, visible_B1S = self.length, self._visible_B1S
        for block in self._blocks:
            if block.pre_norm:
                x_BD = x_BD + block.sublayer.added(block.norm(x_BD), length, visible_B1S)
            else:
                x_BD = block.norm(x_BD + block.sublayer.added(x_BD, length, visible_B1S))
        self.length += 1
        return self._output(self._final_norm(x_BD))

    def rows(self, index_B: Tensor) -> "DecoderPlan":
        """Return a plan that goes on with some of the sentences, in the order of the index."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._visible_B1S = None if self._visible_B1S is None else self._visible_B1S[index_B]
        other._blocks = [
            replace(block, sublayer=block.sublayer.rows(index_B)) for block in self._blocks
        ]
        return other


def _positions(part: str, embedding: Embedding) -> Tensor:
    """Return positions_PD, the one thing that is added to tokens here.

    Raises:
        PlanError: Others are added, or none are.
    """
    added = (embedding.segments, embedding.norm)
    if embedding.positions_PD is None or added != (None, None):
        raise PlanError(part, embedding)
    return embedding.positions_PD


def _blocks(layer: Layer, memory_BSD: Tensor) -> list[_Block]:
    if type(layer).forward is not Layer.forward:
        raise PlanError("a decoder layer", layer)
    return [
        _Block(
            norm=_normalising(f"{sublayer.site}.norm", residual.norm),
            pre_norm=_known(f"{sublayer.site}", residual, Residual).pre_norm,
            sublayer=_planned(sublayer, memory_BSD),
        )
        for sublayer, residual in layer.blocks()
    ]


def _planned(sublayer: Sublayer, memory_BSD: Tensor) -> _Planned:
    plan = _PLANS.get(type(sublayer))
    if plan is None:
        raise PlanError(str(sublayer.site), sublayer)
    return plan(sublayer, memory_BSD)


def _self_attention(attention: SelfAttention, memory_BSD: Tensor) -> _SelfAttention:
    part = str(attention.site)
    others = (attention.rotary, attention.relative, attention.divisor)
    if (
        others != (None, None, None)
        or attention.n_kv_heads != attention.n_heads
        or attention.query.bias is None
    ):
        raise PlanError(part, attention)
    matrices = [
        _known(part, each, nn.Linear) for each in (attention.query, attention.key, attention.value)
    ]
    weight = torch.cat([each.weight for each in matrices])
    bias = torch.cat([each.bias for each in matrices])
    n_heads, d_k, d_v = attention.n_heads, attention.d_k, attention.d_v
    room = (len(memory_BSD), n_heads, FIRST_POSITIONS)
    return _SelfAttention(
        query_key_value=lambda x_BD: F.linear(x_BD, weight, bias),
        output=_linear(part, attention.output),
        n_heads=n_heads,
        d_k=d_k,
        d_v=d_v,
        past=KeysValues(memory_BSD.new_empty(*room, d_k), memory_BSD.new_empty(*room, d_v)),
    )


def _cross_attention(attention: CrossAttention, memory_BSD: Tensor) -> _CrossAttention:
    if attention.divisor is not None or attention.n_kv_heads != attention.n_heads:
        raise PlanError(str(attention.site), attention)
    return _CrossAttention(
        query=_linear(f"{attention.site}", attention.query),
        output=_linear(f"{attention.site}", attention.output),
        n_heads=attention.n_heads,
        d_k=attention.d_k,
        source=attention.keys_values(memory_BSD),
    )


def _feed_forward(feed_forward: FeedForward, memory_BSD: Tensor) -> _FeedForward:
    part = str(feed_forward.site)
    if feed_forward.gate is not None or feed_forward.activation != "relu":
        raise PlanError(part, feed_forward)
    return _FeedForward(_linear(part, feed_forward.expand), _linear(part, feed_forward.contract))


_WRITTEN_OUT = ("decode", "logits", "scores")
"""What `feed` does in the model's place: one that does it in another way has no plan."""

# By the very class: a subclass may compute something else.
_PLANS: Mapping[type, Callable[[Any, Tensor], _Planned]] = {
    SelfAttention: _self_attention,
    CrossAttention: _cross_attention,
    FeedForward: _feed_forward,
}


def _known(part: str, module: nn.Module, wanted: type[Module]) -> Module:
    """Return a module of the very class that is wanted.

    Raises:
        PlanError: It is of another.
    """
    if type(module) is not wanted:
        raise PlanError(part, module)
    return module


def _linear(part: str, module: nn.Module) -> Map:
    matrix = _known(part, module, nn.Linear)
    weight, bias = matrix.weight, matrix.bias
    return lambda x_BD: F.linear(x_BD, weight, bias)


def _normalising(part: str, module: nn.Module) -> Map:
    if type(module) is nn.Identity:
        return lambda x_BD: x_BD
    norm = _known(part, module, LayerNorm)
    shape, weight, bias, eps = norm.normalized_shape, norm.weight, norm.bias, norm.eps
    return lambda x_BD: F.layer_norm(x_BD, shape, weight, bias, eps)
