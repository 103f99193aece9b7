"""Sublayers of a decoder taken apart for one new token: what `DecoderPlan` goes through.

B batch, S source length, P positions of the buffers, H heads, E width of one head, D model width,
F feed-forward width.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import torch
from torch import Tensor

from core.decoding.maps import Map, PlanError, linear, together
from core.heads import Site
from core.model import Cache
from core.model.attention import attend, attend_probed
from core.model.cache import KeysValues
from core.model.probe import Step
from core.model.rotary import Rotary, Turns
from core.model.scoring import Additive, Scoring
from core.model.sublayers import (
    ACTIVATIONS,
    CrossAttention,
    FeedForward,
    SelfAttention,
    Sublayer,
)

FIRST_POSITIONS = 64
"""Room for so many tokens at first; doubled whenever it is full."""


@dataclass(frozen=True, slots=True)
class Now:
    """What is the same for all sublayers while one token is fed."""

    length: int
    """Tokens before it."""
    visible_B1S: Tensor | None
    turns: Turns | None
    """How queries and keys are turned; None where they are not."""
    bias_1HQK: Tensor | None
    """What the heads add to their scores; None for nothing."""
    weights_BH1S: list[Tensor] = field(default_factory=list)
    """What the cross-attention that a pointer copies from looked at, once it has run."""

    def keep_weights(self, step: Step, tensor: Tensor) -> Tensor:
        """Take a step of attention, and keep it where it is the weights."""
        if step is Step.WEIGHTS:
            self.weights_BH1S.append(tensor)
        return tensor


class Planned:
    """A sublayer's weights, and what it keeps of the positions before: here nothing."""

    __slots__ = ()

    def added(self, x_BD: Tensor, now: Now) -> Tensor:
        """Return what is added to the stream of the token that is fed."""
        raise NotImplementedError

    def take(self, cache: Cache) -> None:
        """Take over what the modules kept of the positions before."""

    def doubled(self) -> Self:
        """Return the same with twice the room for positions."""
        return self

    def rows(self, index_B: Tensor, same_sources: bool) -> Self:
        """Return the same for some of the sentences: see `Stepper.rows`."""
        return self


@dataclass(frozen=True, slots=True)
class _SelfAttention(Planned):
    query_key_value: Map
    """All three projections at once."""
    output: Map
    n_heads: int
    n_sets: int
    """Of keys and values: the heads that share one look together, as if they were positions."""
    d_k: int
    d_v: int
    divisor: float | None
    additive: Additive | None
    linear: bool
    rotary: Rotary | None
    past: KeysValues
    """key_BHPE and value_BHPE, filled up to the plan's length."""
    site: Site

    def take(self, cache: Cache) -> None:
        kept = cache.kept[self.site]
        n = kept.key_BHKE.shape[2]
        self.past.key_BHKE[:, :, :n] = kept.key_BHKE
        self.past.value_BHKE[:, :, :n] = kept.value_BHKE

    def added(self, x_BD: Tensor, now: Now) -> Tensor:
        n_sets, d_k, d_v = self.n_sets, self.d_k, self.d_v
        n_sentences, length, end = len(x_BD), now.length, now.length + 1
        query_BD, key_BD, value_BD = self.query_key_value(x_BD).split(
            (self.n_heads * d_k, n_sets * d_k, n_sets * d_v), dim=-1
        )
        query_BHQE = query_BD.view(n_sentences, n_sets, self.n_heads // n_sets, d_k)
        key_BHE = key_BD.view(n_sentences, n_sets, d_k)
        if self.rotary is not None and now.turns is not None:
            query_BHQE = self.rotary.turned(query_BHQE, now.turns)
            key_BHE = self.rotary.turned(key_BHE, now.turns)
        key_BHPE, value_BHPE = self.past.key_BHKE, self.past.value_BHKE
        key_BHPE[:, :, length] = key_BHE
        value_BHPE[:, :, length] = value_BD.view(n_sentences, n_sets, d_v)
        scoring = Scoring(self.divisor, now.bias_1HQK, False, self.additive, self.linear)
        mixed_BHQE = attend(query_BHQE, key_BHPE[:, :, :end], value_BHPE[:, :, :end], None, scoring)
        return self.output(mixed_BHQE.flatten(1))

    def doubled(self) -> Self:
        empty = (torch.empty_like(self.past.key_BHKE), torch.empty_like(self.past.value_BHKE))
        return replace(self, past=self.past.then(KeysValues(*empty)))

    def rows(self, index_B: Tensor, same_sources: bool) -> Self:
        return replace(self, past=self.past.rows(index_B))


@dataclass(frozen=True, slots=True)
class _CrossAttention(Planned):
    query: Map
    output: Map
    n_heads: int
    d_k: int
    scoring: Scoring
    source: KeysValues
    """Of the whole source."""
    copied_from: bool
    """Whether a pointer wants its weights, which the fused kernel does not tell."""

    def added(self, x_BD: Tensor, now: Now) -> Tensor:
        query_BH1E = self.query(x_BD).view((len(x_BD), self.n_heads, 1, self.d_k))
        looked = (query_BH1E, self.source.key_BHKE, self.source.value_BHKE, now.visible_B1S)
        mixed_BH1E = (
            attend_probed(*looked, self.scoring, now.keep_weights)
            if self.copied_from
            else attend(*looked, self.scoring)
        )
        return self.output(mixed_BH1E.flatten(1))

    def rows(self, index_B: Tensor, same_sources: bool) -> Self:
        return self if same_sources else replace(self, source=self.source.rows(index_B))


@dataclass(frozen=True, slots=True)
class _FeedForward(Planned):
    expand: Map
    activate: Map
    contract: Map

    def added(self, x_BD: Tensor, now: Now) -> Tensor:
        return self.contract(self.activate(self.expand(x_BD)))


@dataclass(frozen=True, slots=True)
class _GatedFeedForward(Planned):
    gate_and_expand: Map
    """Both projections at once."""
    activate: Map
    contract: Map

    def added(self, x_BD: Tensor, now: Now) -> Tensor:
        gate_BF, units_BF = self.gate_and_expand(x_BD).chunk(2, dim=-1)
        return self.contract(self.activate(gate_BF) * units_BF)


@dataclass(frozen=True, slots=True)
class Sources:
    """What the sentences begin with."""

    memory_BSD: Tensor | None
    n: int
    like: Tensor
    """Of the type and on the device of the weights."""
    copied_from: Site | None = None
    """The cross-attention whose weights a pointer wants; None where nothing is copied."""


def planned(sublayer: Sublayer, sources: Sources) -> Planned:
    """Return a sublayer taken apart.

    Raises:
        PlanError: It is of a kind that is not known here.
    """
    plan = _PLANS.get(type(sublayer))
    if plan is None:
        raise PlanError(str(sublayer.site), sublayer)
    return plan(sublayer, sources)


def _self_attention(attention: SelfAttention, sources: Sources) -> _SelfAttention:
    part = str(attention.site)
    d_k, d_v, n_sets = attention.d_k, attention.d_v, attention.n_kv_heads
    if attention.additive is not None and n_sets < attention.n_heads:
        # Heads that share a set have networks of their own.
        raise PlanError(part, attention.additive)
    room, new = (sources.n, n_sets, FIRST_POSITIONS), sources.like.new_empty
    return _SelfAttention(
        query_key_value=together(part, attention.query, attention.key, attention.value),
        output=linear(part, attention.output),
        n_heads=attention.n_heads,
        n_sets=n_sets,
        d_k=d_k,
        d_v=d_v,
        divisor=attention.divisor,
        additive=attention.additive,
        linear=attention.scores == "linear",
        rotary=attention.rotary,
        past=KeysValues(new(*room, d_k), new(*room, d_v)),
        site=attention.site,
    )


def _cross_attention(attention: CrossAttention, sources: Sources) -> _CrossAttention:
    if sources.memory_BSD is None:
        raise PlanError(str(attention.site), attention)
    memory_BSD = attention.memory(sources.memory_BSD)
    return _CrossAttention(
        query=linear(f"{attention.site}", attention.query),
        output=linear(f"{attention.site}", attention.output),
        n_heads=attention.n_heads,
        d_k=attention.d_k,
        scoring=attention.scoring(),
        source=attention.keys_values(memory_BSD).shared_by(attention.n_heads),
        copied_from=attention.site == sources.copied_from,
    )


def _feed_forward(feed_forward: FeedForward, sources: Sources) -> Planned:
    part = str(feed_forward.site)
    contract = linear(part, feed_forward.contract)
    if feed_forward.gate is not None:
        both = together(part, feed_forward.gate, feed_forward.expand)
        return _GatedFeedForward(both, ACTIVATIONS[feed_forward.activation], contract)
    # In place where torch can: the units are nobody else's.
    activate = torch.relu_ if feed_forward.activation == "relu" else None
    return _FeedForward(
        linear(part, feed_forward.expand),
        activate or ACTIVATIONS[feed_forward.activation],
        contract,
    )


# By the very class: a subclass may compute something else.
_PLANS: Mapping[type, Callable[[Any, Sources], Planned]] = {
    SelfAttention: _self_attention,
    CrossAttention: _cross_attention,
    FeedForward: _feed_forward,
}
