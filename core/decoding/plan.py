"""The decoder of a small model taken apart into plain products, for one new token after the other.

Called for a single token of a small model, the modules of `core.model` spend more time on calls
than on arithmetic. A plan computes the same in a flat sequence of operations, with the projections
to query, key and value as one product. `benchmarks/decode.py` measures the speed-up.

Only the paper's decoder has a plan. `plan_of` checks every setting and every module: a model with
one that is not listed here, such as a new norm, is decoded by its modules.

B batch, S source length, P positions of the buffers, H heads, E width of one head, D model width,
V vocabulary.
"""

import dataclasses
from collections.abc import Callable
from copy import copy
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..config import ModelConfig
from ..heads import Site
from ..model import Cache, Transformer
from ..model.attention import attend
from ..model.cache import KeysValues
from ..model.dropout import Dropout
from ..model.layers import DecoderLayer, Layer, Residual
from ..model.memory import MEMORIES
from ..model.norm import LayerNorm
from ..model.positional import COMPUTED_TABLES, Embedding
from ..model.sublayers import ACTIVATIONS, CrossAttention, FeedForward, SelfAttention

FIRST_POSITIONS = 64
"""Initial capacity of the buffers in tokens; doubled whenever they are full."""
LARGEST_WIDTH = 384
"""From this d_model on, arithmetic outweighs call overhead and a plan saves nothing."""
_SUPPORTED_SETTINGS = (  # noqa: SIM905  # a line for each would be long
    "vocab_size target_vocab_size n_encoder_layers n_decoder_layers d_model d_ff n_heads d_k d_v "
    "dropout norm max_positions tied norm_eps activation attention_bias ff_bias "
    "embedding_scale sinusoid_base encoder_mixing feed_forward logit_bias rotary_base "
    "n_buckets max_distance pad_id bos_id eos_ids target_ratio"
).split()
"""Settings that the plan supports at any value.

Every other one except `positions` must have its default.
"""
_SUPPORTED_POSITIONS = (*COMPUTED_TABLES, "learned", "none")
"""Positions that are added to the tokens; those within the scores are left to the modules."""
_MODULES = frozenset(
    [DecoderLayer, Residual, SelfAttention, CrossAttention, FeedForward, LayerNorm, Embedding]
    + [nn.Linear, nn.Embedding, nn.ModuleList, nn.Identity, Dropout, MEMORIES["last"]]
)
"""Classes of modules that a plan implements; a subclass may compute something else."""


def plan_of(
    model: Transformer, memory_BSD: Tensor | None, visible_B1S: Tensor | None, n_sentences: int
) -> "DecoderPlan | None":
    """Return a plan for new targets.

    None if the model is too wide to gain from it or has a module it does not implement.

    The encoded sources and their mask are None for a decoder alone.
    """
    fits = (
        type(model) is Transformer
        and model.config.d_model < LARGEST_WIDTH
        and _has_known_settings(model.config)
        and _has_known_modules(model)
    )
    return DecoderPlan(model, memory_BSD, visible_B1S, n_sentences) if fits else None


def _has_known_settings(config: ModelConfig) -> bool:
    """Say whether all settings have their defaults, except those that the plan supports."""
    return (
        config.positions in _SUPPORTED_POSITIONS
        and config.d_k == config.d_v
        and all(
            field.name in (*_SUPPORTED_SETTINGS, "positions")
            or getattr(config, field.name) == field.default
            for field in dataclasses.fields(config)
        )
    )


def _has_known_modules(model: Transformer) -> bool:
    parts = (model.decoder, model.target_embedding, model.decoder_norm, model.output)
    return {type(module) for part in parts for module in part.modules()} <= _MODULES


Map = Callable[[Tensor], Tensor]
Added = Callable[["DecoderPlan", Tensor], Tensor]
"""(plan, x_BD) → added_BD, what a sublayer adds for the new token."""


class DecoderPlan:
    """Decodes token by token; expects a model in evaluation mode and no probes."""

    def __init__(
        self,
        model: Transformer,
        memory_BSD: Tensor | None,
        visible_B1S: Tensor | None,
        n_sentences: int,
    ) -> None:
        """Begin targets; see `plan_of`."""
        self.length = 0
        # Without a mask the kernel is faster.
        hides = visible_B1S is not None and not bool(visible_B1S.all())
        self.visible_B1S = visible_B1S if hides else None
        self._tokens_VD = model.target_embedding.tokens.weight
        self._positions_PD = model.target_embedding.positions_PD
        self._scale = model.target_embedding.scale
        self._pre_norm = model.config.norm == "pre"
        self._final_norm = _norm(model.decoder_norm)
        self._output = _product(model.output)
        self.past: list[Tensor] = []
        """past_2BHPE: keys and values of each self-attention, filled up to the plan's length."""
        self.sources: list[KeysValues] = []
        """Keys and values of the whole source for each cross-attention."""
        self._sites: list[Site] = []
        self._blocks: list[tuple[Map, Added]] = []
        for sublayer, residual in (
            block for layer in model.decoder for block in cast(Layer, layer).blocks()
        ):
            match sublayer:
                case SelfAttention():
                    added = _self_attention(sublayer, len(self.past))
                    room = (2, n_sentences, sublayer.n_heads, FIRST_POSITIONS, sublayer.d_k)
                    self.past.append(self._tokens_VD.new_empty(room))
                    self._sites.append(sublayer.site)
                case CrossAttention():
                    added = _cross_attention(sublayer, len(self.sources))
                    self.sources.append(sublayer.keys_values(cast(Tensor, memory_BSD)))
                case _:
                    added = _feed_forward(cast(FeedForward, sublayer))
            self._blocks.append((_norm(residual.norm), added))

    def feed(self, token_B: Tensor) -> Tensor:
        """Append a token to every target, and return logits_BV for the one after it."""
        self._make_room(self.length + 1)
        x_BD = functional.embedding(token_B, self._tokens_VD) * self._scale
        if self._positions_PD is not None:
            x_BD = x_BD + self._positions_PD[self.length]
        for norm, added in self._blocks:
            x_BD = x_BD + added(self, norm(x_BD) if self._pre_norm else x_BD)
            if not self._pre_norm:
                x_BD = norm(x_BD)
        self.length += 1
        return self._output(self._final_norm(x_BD))

    def take(self, cache: Cache) -> None:
        """Continue after a prompt, whose positions the modules have computed together."""
        self._make_room(cache.length)
        self.length = cache.length
        for site, past_2BHPE in zip(self._sites, self.past, strict=True):
            kept = cache.kept[site]
            past_2BHPE[:, :, :, : self.length] = torch.stack([kept.key_BHKE, kept.value_BHKE])

    def rows(self, index_B: Tensor, same_sources: bool = False) -> "DecoderPlan":
        """Return a plan that continues some of the sentences: see `Stepper.rows`."""
        other = copy(self)
        other.past = [past_2BHPE[:, index_B] for past_2BHPE in self.past]
        if not same_sources:
            other.sources = [each.rows(index_B) for each in self.sources]
            if self.visible_B1S is not None:
                other.visible_B1S = self.visible_B1S[index_B]
        return other

    def _make_room(self, length: int) -> None:
        """Double the buffers until they hold this number of positions."""
        while self.past and self.past[0].shape[3] < length:
            self.past = [torch.cat([each, torch.empty_like(each)], dim=3) for each in self.past]


def _self_attention(attention: SelfAttention, number: int) -> Added:
    """Return a self-attention with its three projections as one product."""
    project = _product(attention.query, attention.key, attention.value)
    output, n_heads, d_k = _product(attention.output), attention.n_heads, attention.d_k

    def added(plan: DecoderPlan, x_BD: Tensor) -> Tensor:
        new_3BHE = project(x_BD).view(-1, 3, n_heads, d_k).transpose(0, 1)
        past_2BHPE = plan.past[number]
        past_2BHPE.select(3, plan.length).copy_(new_3BHE[1:])
        key_BHKE, value_BHKE = past_2BHPE[:, :, :, : plan.length + 1]
        mixed_BH1E = attend(new_3BHE[0][:, :, None], key_BHKE, value_BHKE, None)
        return output(mixed_BH1E.flatten(1))

    return added


def _cross_attention(attention: CrossAttention, number: int) -> Added:
    query, output = _product(attention.query), _product(attention.output)
    n_heads, d_k = attention.n_heads, attention.d_k

    def added(plan: DecoderPlan, x_BD: Tensor) -> Tensor:
        query_BH1E = query(x_BD).view(-1, n_heads, 1, d_k)
        source = plan.sources[number]
        mixed_BH1E = attend(query_BH1E, source.key_BHKE, source.value_BHKE, plan.visible_B1S)
        return output(mixed_BH1E.flatten(1))

    return added


def _feed_forward(layer: FeedForward) -> Added:
    expand, contract = _product(layer.expand), _product(layer.contract)
    # In place where torch can: the units are used nowhere else.
    activate = torch.relu_ if layer.activation == "relu" else ACTIVATIONS[layer.activation]
    return lambda _plan, x_BD: contract(activate(expand(x_BD)))


def _product(*projections: nn.Linear) -> Map:
    """Return several projections of the same vectors as one product."""
    weight: Tensor = projections[0].weight
    bias: Tensor | None = projections[0].bias
    if len(projections) > 1:
        weight = torch.cat([each.weight for each in projections])
        biases: list[Tensor] = [each.bias for each in projections if each.bias is not None]
        bias = torch.cat(biases) if biases else None

    def product(x_BD: Tensor) -> Tensor:
        if x_BD.size(0) > 1:
            return functional.linear(x_BD, weight, bias)
        # For a single sentence a matrix times a vector is faster.
        x_D = x_BD[0]
        return (weight.mv(x_D) if bias is None else torch.addmv(bias, weight, x_D))[None]

    return product


def _norm(norm: nn.Module) -> Map:
    """Return a norm as a function of vectors."""
    if not isinstance(norm, LayerNorm):
        return lambda x_BD: x_BD
    shape, weight, bias, eps = norm.normalized_shape, norm.weight, norm.bias, norm.eps
    return lambda x_BD: torch.layer_norm(x_BD, shape, weight, bias, eps)
