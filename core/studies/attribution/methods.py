"""How much each source token matters for a word that the model says, by several methods.

All answer one question: what does source token s have to do with the word of step t? Those of
attention say how much of s reaches the row that writes the word, the others how the word's
log-probability depends on s. A decoder alone is asked about the tokens that it was fed.

H heads, L layers, B batch, S source length, T target length, V vocabulary, P parts of the source:
its tokens, or its words.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from ...batch import one_row
from ...decoding.step import mask_special_tokens
from ...evaluate.ranks import rank_correlation
from ...model import Record, Transformer
from ...vocabulary import BOS
from .gradients import (
    IntegratedGradients,
    Prediction,
    gradient_times_input,
    integrated_gradients,
)
from .leaving_out import leave_one_out
from .rollout import mixing, source_rollout

Scores = NDArray[np.float64]
Weights = NDArray[np.float32]


class Method(StrEnum):
    """The methods, the simplest first."""

    ATTENTION = "attention"
    """The weights of the row in the last cross-attention, or, of a decoder alone, in its last
    self-attention, averaged over its heads."""
    ROLLOUT = "rollout"
    """What of it attention passes on to there through the layers below; see
    `rollout.source_rollout`."""
    GRADIENT = "gradient"
    """Gradient × input: what the log-probability would lose if it were linear."""
    INTEGRATED = "integrated"
    """Integrated gradients: what it gains on the way from zero vectors to the source."""
    LEAVE_ONE_OUT = "leave_one_out"
    """What it loses when the token is hidden; see `leaving_out`. The only one that changes what
    is asked about, and so what others are held against."""


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """What every method says of one word."""

    target: Prediction
    log_probability: float
    """Of the word, in nats."""
    scores: Mapping[Method, Scores]
    """scores_P of each method that was asked. Those of attention are never negative: of attention
    and of rollout they sum to 1. The others are in nats, below 0 for a part of the source that
    makes the word less probable."""
    integrated: IntegratedGradients | None
    """With what its scores should sum to; None where that method was not asked."""

    @property
    def probability(self) -> float:
        """Of the word."""
        return float(np.exp(self.log_probability))

    @property
    def without(self) -> Scores:
        """without_P: how probable the word is when a part of the source is hidden."""
        found = np.exp(self.log_probability - self.scores[Method.LEAVE_ONE_OUT])
        # Rounding must not lead beyond certainty.
        return np.asarray(np.minimum(found, 1.0), np.float64)

    @property
    def agreement(self) -> Mapping[Method, float | None]:
        """Rank correlation of each method with leaving one out, whatever the signs.

        Magnitudes are compared: attention has no signs. None where a method says the same of all.
        """
        wanted_S = np.abs(self.scores[Method.LEAVE_ONE_OUT])
        return {
            method: rank_correlation(np.abs(scores_S), wanted_S)
            for method, scores_S in self.scores.items()
            if method is not Method.LEAVE_ONE_OUT
        }


def prediction_at(
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    step: int,
    begins: Sequence[int] = (BOS,),
) -> Prediction:
    """Return the word of a step, counted from 0.

    Args:
        source_ids: With EOS; none for a decoder alone.
        target_ids: Without what begins it; EOS may be asked about where it is there.
        step: Which of the target's tokens.
        begins: What the decoder is fed first.
    """
    return Prediction(tuple(source_ids), (*begins, *target_ids[:step]), target_ids[step])


def attribute(
    model: Transformer,
    target: Prediction,
    words: Sequence[int] | None = None,
    asked: Collection[Method] = frozenset(Method),
) -> Attribution:
    """Ask methods about a word that is target.

    Between words the scores of a word's tokens are added; leaving one out hides the whole word, for
    the rest of it might tell what is hidden.

    Args:
        model: In evaluation mode; it stays as it is.
        target: The word, and what it follows.
        words: Which word each source token belongs to, counted from 0; None asks about tokens.
        asked: The methods; without it, all of them.
    """
    log_probability, looks = _looked_at(model, target)
    found: list[IntegratedGradients] = []

    def integrated() -> Scores:
        found.append(integrated_gradients(model, target))
        return added(found[0].scores_S)

    added = partial(_between_words, words=words)
    ways: dict[Method, Callable[[], Scores]] = {
        Method.ATTENTION: lambda: added(looks.last_HS.astype(np.float64).mean(axis=0)),
        Method.ROLLOUT: lambda: added(source_rollout(looks.below_LHSS, looks.row_HS)),
        Method.GRADIENT: lambda: added(gradient_times_input(model, target)),
        Method.INTEGRATED: integrated,
        Method.LEAVE_ONE_OUT: lambda: leave_one_out(model, target, words),
    }
    wanted = [method for method in ways if method in asked]
    scores = {method: ways[method]() for method in wanted}
    return Attribution(target, log_probability, scores, found[0] if found else None)


def _between_words(scores: Scores, words: Sequence[int] | None) -> Scores:
    return scores if words is None else np.asarray(np.bincount(words, scores), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Looks:
    """Where the row looks that writes a word, and what that is made of."""

    last_HS: Weights
    """The row's weights on the tokens asked, in the last layer that looks at them."""
    row_HS: Weights
    """What the row has of the positions below: these weights, and of a decoder alone half of it
    the row's own position, which goes on along the residual connection."""
    below_LHSS: Weights
    """The weights of the layers below."""


@torch.inference_mode()
def _looked_at(model: Transformer, target: Prediction) -> tuple[float, _Looks]:
    """Return a word's log-probability, and where the row looks that writes it."""
    record = Record()
    logits_BTV = model(one_row(target.source_ids), one_row(target.fed_ids), record)
    log_probability = float(
        mask_special_tokens(logits_BTV[0, -1], model.config).log_softmax(dim=-1)[target.token]
    )
    attended = [(site, site.attention) for site in model.sites() if site.attention]
    self_side = "source" if target.source_ids else "target"
    layers = [
        record.weights(site)[0].float().numpy()
        for site, kind in attended
        if kind.is_self and kind.query_side == self_side
    ]
    if not target.source_ids:
        layers_LHSS = np.stack(layers)
        row_1S = mixing(layers_LHSS)[-1:, -1].astype(np.float32)
        return log_probability, _Looks(layers_LHSS[-1, :, -1], row_1S, layers_LHSS[:-1])
    *_, last = (site for site, kind in attended if not kind.is_self)
    cross_HS = record.weights(last)[0, :, -1].float().numpy()
    return log_probability, _Looks(cross_HS, cross_HS, np.stack(layers))
