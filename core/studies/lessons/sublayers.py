"""The sublayers of a layer: attention mixes positions, the feed-forward layer has units that fire.

Attention multiplies X by a matrix made from the sentence (A X W), so that every position's output
depends on every position's input. A feed-forward layer multiplies by the same matrices at every
position (X W), so that a position's output depends on its own input alone.

K positions, D model width, F feed-forward width, L layers.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...batch import one_row, pad
from ...decoding.sentence import translate
from ...heads import Site, Stack
from ...model import Record, Step, Transformer
from ...model.masks import causal_mask
from ...model.sublayers import LayerInputs, Sublayer
from ...runs.run import Run
from ..cells import Table, cells, stacked
from .of_sentence import OfSentence, ids_of, texts_of

LONGEST = 64
"""Tokens that are studied; every one costs two passes of the sublayer over all."""


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """How far each position's output moves when one position's input does."""

    ratio_KK: NDArray[np.float64]
    """‖Δoutput_i‖ / ‖Δinput_j‖ in row i, column j."""

    @property
    def largest(self) -> float:
        """The largest ratio."""
        return float(self.ratio_KK.max())

    @property
    def away_from_diagonal(self) -> tuple[float, float]:
        """The least and the largest ratio between different positions; 0 where there is one."""
        between = self.ratio_KK[~np.eye(len(self.ratio_KK), dtype=bool)]
        return (float(between.min()), float(between.max())) if between.size else (0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """Which position's input moves which position's output, in both sublayers of a layer."""

    attention: Moved
    """Self-attention with its output matrix."""
    feed_forward: Moved

    def table(self) -> Table:
        """Return a row for each cell: the output of its row moves with the input of its column."""
        ratios = {
            "self_attention": self.attention.ratio_KK,
            "feed_forward": self.feed_forward.ratio_KK,
        }
        return cells("row", "column", ratios)


@torch.inference_mode()
def influence(model: Transformer, layer: int, ids: Sequence[int], eps: float = 1e-6) -> Influence:
    """Move the input of each position in turn, and see which outputs of the sublayer move.

    The inputs are those that both sublayers have in one pass over the sentence. Each position moves
    in one direction, drawn once, both ways (a central difference), through copies of the sublayers
    in float64; what is added to the residual stream counts, not the stream itself.

    Args:
        model: In evaluation mode; it stays as it is.
        layer: Of the encoder; of the decoder where that is alone, and no position sees later ones.
        ids: What the stack reads; only the first `LONGEST` tokens are read.
        eps: Length of the step.
    """
    inputs = sublayer_inputs(model, layer, ids)
    n = len(inputs[0])
    visible_1KK = None if model.config.n_encoder_layers else causal_mask(n)[None]
    step_KD = eps * directions(*inputs[0].shape)
    attention, feed_forward = (
        _moved(sublayer, x_KD, step_KD, eps, visible_1KK)
        for sublayer, x_KD in zip(sublayers(model, layer), inputs, strict=True)
    )
    return Influence(attention, feed_forward)


@torch.inference_mode()
def sublayer_inputs(model: Transformer, layer: int, ids: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Return x_KD in float64 as a layer's self-attention and feed-forward layer get it."""
    sites = [sublayer.site for sublayer in sublayers(model, layer)]
    given = [(site, model.block(site)[1].input_step) for site in sites]
    record = Record(frozenset(step for _, step in given))
    if model.config.n_encoder_layers:
        model.encode(pad([ids[:LONGEST]]), record)
    else:
        model.decode(pad([ids[:LONGEST]]), None, None, record)
    around_KD, inner_KD = (record.tensors[each][0].double() for each in given)
    return around_KD, inner_KD


def sublayers(model: Transformer, layer: int) -> tuple[Sublayer, Sublayer]:
    """Return self-attention and feed-forward layer of a layer of the first stack."""
    stack = model.config.stacks[0]
    attention, _ = model.block(Site(stack, layer, "self"))
    feed_forward, _ = model.block(Site(stack, layer, "feed_forward"))
    return attention, feed_forward


def directions(n_positions: int, d_model: int, seed: int = 0) -> Tensor:
    """Return directions_KD, for every position a unit vector in a random direction."""
    drawn = torch.Generator().manual_seed(seed)
    directions_KD = torch.randn(n_positions, d_model, generator=drawn, dtype=torch.float64)
    return directions_KD / directions_KD.norm(dim=-1, keepdim=True)


def _moved(
    sublayer: Sublayer, x_KD: Tensor, step_KD: Tensor, eps: float, visible_1KK: Tensor | None
) -> Moved:
    exact = cast(Sublayer, deepcopy(cast(nn.Module, sublayer)).double())
    inputs = LayerInputs(visible_1KK)

    def added(x_KD: Tensor) -> Tensor:
        return exact.added(x_KD[None], inputs, None)[0]

    def column(position: int) -> Tensor:
        move_KD = torch.zeros_like(x_KD)
        move_KD[position] = step_KD[position]
        # Two calls of one shape: what does not depend on the move comes out the same, bit by bit.
        return (added(x_KD + move_KD) - added(x_KD - move_KD)).norm(dim=-1) / (2 * eps)

    ratio_KK = torch.stack([column(position) for position in range(len(x_KD))], dim=1)
    return Moved(ratio_KK.numpy())


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit that fires on a token."""

    unit: int
    activation: float
    """Its value at the token."""
    others: tuple[tuple[int, float], ...]
    """The other positions on which it fires, each with the value there, largest first."""


@dataclass(frozen=True, slots=True, eq=False)
class FiringUnits:
    """How many units of a stack fire, and the strongest ones of a layer at one position."""

    firing_LK: NDArray[np.float64]
    """Share of the units of each layer that fire, that is, are above 0 after the activation."""
    layer: int
    position: int
    top: tuple[Unit, ...]

    def table(self) -> Table:
        """Return the shares, and a row for each place where one of the units fires."""
        fires = [
            (self.layer, at, unit.unit, value)
            for unit in self.top
            for at, value in ((self.position, unit.activation), *unit.others)
        ]
        names = ("layer", "position", "unit", "value")
        units = {name: [row[at] for row in fires] for at, name in enumerate(names)}
        return stacked(cells("layer", "position", {"share": self.firing_LK}), units)


@torch.inference_mode()
def hidden_units(
    model: Transformer, source_ids: Sequence[int], fed_ids: Sequence[int]
) -> Mapping[Site, NDArray[np.float32]]:
    """Return hidden_KF after the activation for every feed-forward layer, from one forward pass."""
    record = Record(frozenset({Step.HIDDEN}))
    model(one_row(source_ids), one_row(fed_ids), record)
    return {site: hidden_BKF[0].numpy() for (site, _), hidden_BKF in record.tensors.items()}


def firing(hidden: Mapping[Site, NDArray[np.float32]], stack: Stack) -> NDArray[np.float64]:
    """Return firing_LK, the share of the units of a stack's layers that fire at each position."""
    sites = sorted(site for site in hidden if site.stack == stack)
    return np.stack([(hidden[site] > 0).mean(axis=1) for site in sites])


def top_units(hidden_KF: NDArray[np.float32], position: int, n: int = 10) -> tuple[Unit, ...]:
    """Return the units with the largest activation at a position, largest first."""
    found = []
    for unit in _firing(hidden_KF[position])[:n]:
        values_K = hidden_KF[:, unit]
        others = [(at, float(values_K[at])) for at in _firing(values_K) if at != position]
        found.append(Unit(unit, float(values_K[position]), tuple(others)))
    return tuple(found)


def _firing(values: NDArray[np.float32]) -> list[int]:
    """Return the places of the positive values, the largest first, of equal ones the first."""
    return [int(at) for at in np.argsort(-values, kind="stable") if values[at] > 0]


def sentence_units(
    run: Run, sentence: str, stack: Stack, layer: int = 0, position: int = 0, n: int = 8
) -> OfSentence[FiringUnits]:
    """Count the feed-forward units of a stack that fire, and name the strongest of one token."""
    written = translate(run, sentence)
    hidden = hidden_units(run.model, written.source_ids, written.fed_ids)
    top = top_units(hidden[Site(stack, layer, "feed_forward")], position, n)
    found = FiringUnits(firing(hidden, stack), layer, position, top)
    return OfSentence(found, {"position": texts_of(run, written, stack)})


def sentence_mixing(run: Run, sentence: str, layer: int) -> OfSentence[Influence]:
    """Measure which position's input moves which output, in a layer of the stack that reads."""
    written, stack = translate(run, sentence), run.model.config.stacks[0]
    found = influence(run.model, layer, ids_of(written, stack))
    texts = texts_of(run, written, stack)[:LONGEST]
    return OfSentence(found, {"row": texts, "column": texts})
