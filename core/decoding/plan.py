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

from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.decoding import planned as sublayers
from core.decoding.maps import Map, PlanError, known, linear, normalising
from core.decoding.planned import Now, Planned, Sources, planned
from core.model import Cache, Transformer
from core.model.layers import Layer, Residual
from core.model.pointer import Pointer
from core.model.positional import Embedding
from core.model.sublayers import SelfAttention


@dataclass(frozen=True, slots=True)
class _Block:
    """A sublayer with its norm."""

    norm: Map
    pre_norm: bool
    adds: bool
    sublayer: Planned

    def rows(self, index_B: Tensor, same_sources: bool) -> "_Block":
        """Return the block for some of the sentences: itself, where it keeps nothing of them."""
        sublayer = self.sublayer.rows(index_B, same_sources)
        return self if sublayer is self.sublayer else replace(self, sublayer=sublayer)


class DecoderPlan:
    """Feeds one token after the other; a model in evaluation mode, without probes."""

    def __init__(
        self,
        model: Transformer,
        memory_BSD: Tensor | None,
        visible_B1S: Tensor | None,
        n_sentences: int = 1,
        source_BS: Tensor | None = None,
    ) -> None:
        """Begin targets.

        Args:
            model: In evaluation mode.
            memory_BSD: The encoded sources; None for a decoder alone.
            visible_B1S: The mask of the sources; None where nothing is hidden.
            n_sentences: So many go side by side where there is no memory to say it.
            source_BS: The sources' tokens, which only a model with a pointer needs.

        Raises:
            PlanError: The model has a part that is not known here.
        """
        for written_out in _WRITTEN_OUT:
            if getattr(type(model), written_out) is not getattr(Transformer, written_out):
                raise PlanError(f"{written_out} of the model", model)
        self._pointer = None if model.pointer is None else known("pointer", model.pointer, Pointer)
        if self._pointer is not None and (source_BS is None or memory_BSD is None):
            raise PlanError("pointer without the source's tokens", self._pointer)
        self._source_BS = None if self._pointer is None else source_BS
        self._memory_BSD = None if self._pointer is None else memory_BSD
        self.length = 0
        self._room = sublayers.FIRST_POSITIONS
        self._visible_B1S = visible_B1S
        part = "decoder.embedding"
        embedding = known(part, model.target_embedding, Embedding)
        if embedding.segments is not None or embedding.norm is not None:
            raise PlanError(part, embedding)
        self._tokens_VD = known(part, embedding.tokens, nn.Embedding).weight
        self._last_read = embedding.last_read
        self._positions_PD = embedding.positions_PD
        self._scale = embedding.scale
        self._final_norm = normalising("decoder.norm", model.decoder_norm)
        plain = model.output_transform is None and not model.config.logit_scale
        self._output = linear("output", model.output) if plain else model.scores
        n = n_sentences if memory_BSD is None else len(memory_BSD)
        copied_from = None if self._pointer is None else self._pointer.site
        sources = Sources(memory_BSD, n, self._tokens_VD, copied_from)
        self._blocks = [
            block for layer in model.decoder for block in _blocks(cast(Layer, layer), sources)
        ]
        first = cast(Layer, model.decoder[0]).blocks()[0][0]
        self._rotary, self._relative = None, None
        if isinstance(first, SelfAttention):
            self._rotary, self._relative = first.rotary, first.relative

    def feed(self, token_B: Tensor) -> Tensor:
        """Append a token to every target, and return logits_BV for the one after it."""
        if self.length == self._room:
            self._double()
        if self._last_read is not None:
            token_B = token_B.clamp(max=self._last_read)
        x_BD = F.embedding(token_B, self._tokens_VD) * self._scale
        if self._positions_PD is not None:
            x_BD = x_BD + self._positions_PD[self.length]
        now = self._now(x_BD.dtype)
        for block in self._blocks:
            made_BD = block.sublayer.added(block.norm(x_BD) if block.pre_norm else x_BD, now)
            x_BD = x_BD + made_BD if block.adds else made_BD
            if not block.pre_norm:
                x_BD = block.norm(x_BD)
        self.length += 1
        x_BD = self._final_norm(x_BD)
        logits_BV = self._output(x_BD)
        return logits_BV if self._pointer is None else self._mixture(logits_BV, x_BD, now)

    def _mixture(self, logits_BV: Tensor, x_BD: Tensor, now: Now) -> Tensor:
        """Return log_probabilities_BV of what is generated and what is copied."""
        assert self._pointer is not None and self._memory_BSD is not None
        [weights_BH1S] = now.weights_BH1S
        mixed_B1V: Tensor = self._pointer(
            logits_BV[:, None], x_BD[:, None], weights_BH1S, self._memory_BSD, self._source_BS
        )
        return mixed_B1V[:, 0]

    def take(self, cache: Cache) -> None:
        """Go on after positions that the modules have computed together: a prompt.

        Raises:
            PlanError: There are some already.
        """
        if self.length:
            raise PlanError("a plan that has begun", self)
        while self._room <= cache.length:
            self._double()
        self.length = cache.length
        for block in self._blocks:
            block.sublayer.take(cache)

    def _double(self) -> None:
        """Make twice the room for positions."""
        self._blocks = [replace(block, sublayer=block.sublayer.doubled()) for block in self._blocks]
        self._room *= 2

    def _now(self, dtype: torch.dtype) -> Now:
        turns = None if self._rotary is None else self._rotary.turns(self.length, 1, dtype)
        relative = self._relative
        bias_1HQK = None if relative is None else relative(1, self.length + 1)
        return Now(self.length, self._visible_B1S, turns, bias_1HQK)

    def rows(self, index_B: Tensor, same_sources: bool = False) -> "DecoderPlan":
        """Return a plan that goes on with some of the sentences: see `Stepper.rows`."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        for name in () if same_sources else ("_visible_B1S", "_source_BS", "_memory_BSD"):
            mine: Tensor | None = getattr(self, name)
            setattr(other, name, None if mine is None else mine[index_B])
        other._blocks = [block.rows(index_B, same_sources) for block in self._blocks]
        return other


def _blocks(layer: Layer, sources: Sources) -> list[_Block]:
    if type(layer).forward is not Layer.forward:
        raise PlanError("a decoder layer", layer)
    return [
        _Block(
            norm=normalising(f"{sublayer.site}.norm", residual.norm),
            pre_norm=known(f"{sublayer.site}", residual, Residual).pre_norm,
            adds=residual.adds,
            sublayer=planned(sublayer, sources),
        )
        for sublayer, residual in layer.blocks()
    ]


_WRITTEN_OUT = ("decode", "logits", "scores")
"""What `feed` does in the model's place: one that does it in another way has no plan."""
