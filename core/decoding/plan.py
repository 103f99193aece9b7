"""The decoder of a small model taken apart into plain products, for one new token after the other.

The modules of `core.model` say what is computed; called for a single token of a small model they
spend more time on calls than on numbers. Here the same arithmetic stands in a row, with the
projections to query, key and value as one product. `benchmarks/decode.py` measures what that
brings.

Only the paper's decoder has a plan. `plan_of` goes through every setting and every module: what is
not listed here, such as a new norm, is left to the modules.

B batch, S source length, P positions of the buffers, H heads, E width of one head, D model width,
V vocabulary.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.config import ModelConfig
from core.heads import Site
from core.model import Cache, Transformer
from core.model.attention import attend
from core.model.cache import KeysValues
from core.model.dropout import Dropout
from core.model.layers import DecoderLayer, Layer, Residual
from core.model.memory import MEMORIES
from core.model.norm import LayerNorm
from core.model.positional import Embedding
from core.model.sublayers import ACTIVATIONS, CrossAttention, FeedForward, SelfAttention

FIRST_POSITIONS = 64
"""Room for this many tokens at first; doubled whenever it is full."""
LARGEST_WIDTH = 384
"""From here on the numbers take longer than the calls, and a plan saves nothing."""
_SETTINGS = (  # noqa: SIM905  # a line for each would be long
    "vocab_size target_vocab_size n_encoder_layers n_decoder_layers d_model d_ff n_heads d_k d_v "
    "dropout norm max_positions tied norm_eps activation attention_bias ff_bias "
    "embedding_scale sinusoid_base encoder_mixing feed_forward logit_bias rotary_base rotary_pairs "
    "n_buckets max_distance pad_id bos_id eos_ids target_ratio"
).split()
"""May have any value; all others but the positions must have their default."""
_ADDED = ("sinusoidal", "halves", "learned", "none")
"""Positions that are added to the tokens; those within the scores are left to the modules."""
_MODULES = frozenset(
    [DecoderLayer, Residual, SelfAttention, CrossAttention, FeedForward, LayerNorm, Embedding]
    + [nn.Linear, nn.Embedding, nn.ModuleList, nn.Identity, Dropout, MEMORIES["last"]]
)
"""What a decoder may consist of: these very classes, as a subclass may compute something else."""


def plan_of(
    model: Transformer, memory_BSD: Tensor | None, visible_B1S: Tensor | None, n_sentences: int
) -> "DecoderPlan | None":
    """Begin targets; None where the model is large or has a part that is not known here.

    Args:
        model: In evaluation mode.
        memory_BSD: The encoded sources; None for a decoder alone.
        visible_B1S: The mask of the sources; None where nothing is hidden.
        n_sentences: How many targets are written side by side.
    """
    fits = (
        type(model) is Transformer
        and model.config.d_model < LARGEST_WIDTH
        and _has_known_settings(model.config)
        and _has_known_modules(model)
    )
    return DecoderPlan(model, memory_BSD, visible_B1S, n_sentences) if fits else None


def _has_known_settings(config: ModelConfig) -> bool:
    """Say whether all settings that are not listed have the values of the paper."""
    return config.positions in _ADDED and all(
        field.name in (*_SETTINGS, "positions") or getattr(config, field.name) == field.default
        for field in dataclasses.fields(config)
    )


def _has_known_modules(model: Transformer) -> bool:
    parts = (model.decoder, model.target_embedding, model.decoder_norm, model.output)
    return {type(module) for part in parts for module in part.modules()} <= _MODULES


Map = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class _SelfAttention:
    query_key_value: Map
    """All three projections at once."""
    output: Map
    n_heads: int
    d_k: int
    d_v: int
    past: KeysValues
    """key_BHPE and value_BHPE, filled up to the plan's length."""
    site: Site

    def added(self, x_BD: Tensor, length: int, visible_B1S: Tensor | None) -> Tensor:
        n_heads, d_k, d_v = self.n_heads, self.d_k, self.d_v
        query_BD, key_BD, value_BD = self.query_key_value(x_BD).split(
            (n_heads * d_k, n_heads * d_k, n_heads * d_v), dim=-1
        )
        key_BHPE, value_BHPE = self.past.key_BHKE, self.past.value_BHKE
        key_BHPE[:, :, length] = key_BD.view(len(x_BD), n_heads, d_k)
        value_BHPE[:, :, length] = value_BD.view(len(x_BD), n_heads, d_v)
        query_BH1E = query_BD.view(len(x_BD), n_heads, 1, d_k)
        end = length + 1
        mixed_BH1E = attend(query_BH1E, key_BHPE[:, :, :end], value_BHPE[:, :, :end], None)
        return self.output(mixed_BH1E.flatten(1))

    def doubled(self) -> Self:
        """Return the same with twice the room for positions."""
        empty = (torch.empty_like(self.past.key_BHKE), torch.empty_like(self.past.value_BHKE))
        return replace(self, past=self.past.then(KeysValues(*empty)))

    def rows(self, index_B: Tensor, same_sources: bool) -> Self:
        return replace(self, past=self.past.rows(index_B))


@dataclass(frozen=True, slots=True)
class _CrossAttention:
    query: Map
    output: Map
    n_heads: int
    d_k: int
    source: KeysValues
    """Of the whole source."""

    def added(self, x_BD: Tensor, length: int, visible_B1S: Tensor | None) -> Tensor:
        query_BH1E = self.query(x_BD).view(len(x_BD), self.n_heads, 1, self.d_k)
        source = self.source
        mixed_BH1E = attend(query_BH1E, source.key_BHKE, source.value_BHKE, visible_B1S)
        return self.output(mixed_BH1E.flatten(1))

    def doubled(self) -> Self:
        return self

    def rows(self, index_B: Tensor, same_sources: bool) -> Self:
        return self if same_sources else replace(self, source=self.source.rows(index_B))


@dataclass(frozen=True, slots=True)
class _FeedForward:
    expand: Map
    activate: Map
    contract: Map

    def added(self, x_BD: Tensor, length: int, visible_B1S: Tensor | None) -> Tensor:
        return self.contract(self.activate(self.expand(x_BD)))

    def doubled(self) -> Self:
        return self

    def rows(self, index_B: Tensor, same_sources: bool) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class _Block:
    """A sublayer with its norm."""

    norm: Map
    sublayer: _SelfAttention | _CrossAttention | _FeedForward


class DecoderPlan:
    """Feeds one token after the other; a model in evaluation mode, without probes."""

    def __init__(
        self,
        model: Transformer,
        memory_BSD: Tensor | None,
        visible_B1S: Tensor | None,
        n_sentences: int,
    ) -> None:
        """Begin targets; see `plan_of`."""
        self.length = 0
        self._room = FIRST_POSITIONS
        self._visible_B1S = visible_B1S
        self._tokens_VD = model.target_embedding.tokens.weight
        self._positions_PD = model.target_embedding.positions_PD
        self._scale = model.target_embedding.scale
        self._pre_norm = model.config.norm == "pre"
        self._final_norm = _norm(model.decoder_norm)
        self._output = _product(model.output)
        blocks = [block for layer in model.decoder for block in cast(Layer, layer).blocks()]
        self._blocks = [
            _Block(_norm(residual.norm), _taken_apart(sublayer, memory_BSD, n_sentences))
            for sublayer, residual in blocks
        ]

    def feed(self, token_B: Tensor) -> Tensor:
        """Append a token to every target, and return logits_BV for the one after it."""
        if self.length == self._room:
            self._double()
        x_BD = functional.embedding(token_B, self._tokens_VD) * self._scale
        if self._positions_PD is not None:
            x_BD = x_BD + self._positions_PD[self.length]
        for block in self._blocks:
            given_BD = block.norm(x_BD) if self._pre_norm else x_BD
            x_BD = x_BD + block.sublayer.added(given_BD, self.length, self._visible_B1S)
            if not self._pre_norm:
                x_BD = block.norm(x_BD)
        self.length += 1
        return self._output(self._final_norm(x_BD))

    def take(self, cache: Cache) -> None:
        """Go on after positions that the modules have computed together: a prompt."""
        while self._room <= cache.length:
            self._double()
        self.length = cache.length
        for block in self._blocks:
            if isinstance(block.sublayer, _SelfAttention):
                kept, past = cache.kept[block.sublayer.site], block.sublayer.past
                past.key_BHKE[:, :, : self.length] = kept.key_BHKE
                past.value_BHKE[:, :, : self.length] = kept.value_BHKE

    def rows(self, index_B: Tensor, same_sources: bool = False) -> "DecoderPlan":
        """Return a plan that goes on with some of the sentences: see `Stepper.rows`."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        if self._visible_B1S is not None and not same_sources:
            other._visible_B1S = self._visible_B1S[index_B]
        other._blocks = [
            _Block(block.norm, block.sublayer.rows(index_B, same_sources)) for block in self._blocks
        ]
        return other

    def _double(self) -> None:
        self._blocks = [_Block(block.norm, block.sublayer.doubled()) for block in self._blocks]
        self._room *= 2


def _taken_apart(
    sublayer: object, memory_BSD: Tensor | None, n_sentences: int
) -> _SelfAttention | _CrossAttention | _FeedForward:
    match sublayer:
        case SelfAttention(d_k=d_k, d_v=d_v, n_heads=n_heads):
            room, like = (n_sentences, n_heads, FIRST_POSITIONS), sublayer.query.weight
            return _SelfAttention(
                query_key_value=_product(sublayer.query, sublayer.key, sublayer.value),
                output=_product(sublayer.output),
                n_heads=n_heads,
                d_k=d_k,
                d_v=d_v,
                past=KeysValues(like.new_empty(*room, d_k), like.new_empty(*room, d_v)),
                site=sublayer.site,
            )
        case CrossAttention():
            assert memory_BSD is not None
            query, output = _product(sublayer.query), _product(sublayer.output)
            source = sublayer.keys_values(memory_BSD)
            return _CrossAttention(query, output, sublayer.n_heads, sublayer.d_k, source)
        case FeedForward():
            return _FeedForward(
                _product(sublayer.expand),
                # In place where torch can: nobody else has the units.
                torch.relu_ if sublayer.activation == "relu" else ACTIVATIONS[sublayer.activation],
                _product(sublayer.contract),
            )
        case _:
            raise TypeError(f"{type(sublayer).__name__} has no plan")


def _product(*projections: nn.Linear) -> Map:
    """Return several projections of the same vectors as one product."""
    weight: Tensor = projections[0].weight
    bias: Tensor | None = projections[0].bias
    if len(projections) > 1:
        weight = torch.cat([each.weight for each in projections])
        biases: list[Tensor] = [each.bias for each in projections if each.bias is not None]
        bias = torch.cat(biases) if biases else None
    return lambda x_BD: functional.linear(x_BD, weight, bias)


def _norm(norm: nn.Module) -> Map:
    """Return a norm as a function of vectors."""
    if not isinstance(norm, LayerNorm):
        return lambda x_BD: x_BD
    shape, weight, bias, eps = norm.normalized_shape, norm.weight, norm.bias, norm.eps
    return lambda x_BD: functional.layer_norm(x_BD, shape, weight, bias, eps)
