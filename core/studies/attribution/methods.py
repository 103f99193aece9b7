"""How much each source token matters for a word that the model says, by several methods.

All answer one question: what does source token s have to do with the word of step t? Those of
attention say how much of s reaches the row that writes the word, the others how the word's
log-probability depends on s. A decoder alone is asked about the tokens that it was fed.

H heads, L layers, B batch, S source length, T target length, V vocabulary, P parts of the source:
its tokens, or its words.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import torch
from numpy.typing import NDArray

from ...batch import one_row
from ...decoding.step import mask_special_tokens
from ...evaluate.intervals import rank_correlation
from ...heads import Side
from ...inspection import Inspection, merged
from ...model import Record, Transformer
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from .gradients import (
    IntegratedGradients,
    Prediction,
    gradient_times_input,
    integrated_gradients,
)
from .leaving_out import leave_one_out

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
    log_probability, last_HS, row_HS, below_LHSS = _looked_at(model, target)
    of_tokens = {
        Method.ATTENTION: last_HS.astype(np.float64).mean(axis=0),
        Method.ROLLOUT: source_rollout(below_LHSS, row_HS),
    }
    integrated = None
    if Method.GRADIENT in asked:
        of_tokens[Method.GRADIENT] = gradient_times_input(model, target)
    if Method.INTEGRATED in asked:
        integrated = integrated_gradients(model, target)
        of_tokens[Method.INTEGRATED] = integrated.scores_S
    scores = {
        method: scores_S if words is None else np.asarray(np.bincount(words, scores_S), np.float64)
        for method, scores_S in of_tokens.items()
        if method in asked
    }
    if Method.LEAVE_ONE_OUT in asked:
        scores[Method.LEAVE_ONE_OUT] = leave_one_out(model, target, words)
    return Attribution(target, log_probability, scores, integrated)


@torch.inference_mode()
def _looked_at(model: Transformer, target: Prediction) -> tuple[float, Weights, Weights, Weights]:
    """Return a word's log-probability, and where the row looks that writes it.

    Returns:
        The log-probability; last_HS, the row's weights on the tokens asked in the last layer that
        looks at them; row_HS, what the row has of the positions below (these weights, and of a
        decoder alone half of it the row's own position, which goes on along the residual
        connection); and below_LHSS, the weights of the layers below.
    """
    record = Record()
    logits_BTV = model(one_row(target.source_ids), one_row(target.fed_ids), record)
    log_probability = float(
        mask_special_tokens(logits_BTV[0, -1], model.config).log_softmax(dim=-1)[target.token]
    )
    attended = [(site, site.attention) for site in model.sites() if site.attention]
    self_side = "source" if target.source_ids else "target"
    layers_LHSS = np.stack(
        [
            record.weights(site)[0].float().numpy()
            for site, kind in attended
            if kind.is_self and kind.query_side == self_side
        ]
    )
    if not target.source_ids:
        row_1S = mixing(layers_LHSS)[-1:, -1].astype(np.float32)
        return log_probability, layers_LHSS[-1, :, -1], row_1S, layers_LHSS[:-1]
    *_, last = (site for site, kind in attended if not kind.is_self)
    cross_HS = record.weights(last)[0, :, -1].float().numpy()
    return log_probability, cross_HS, cross_HS, layers_LHSS


# ---- asked of a sentence


LEAVE_ONE_OUT_FIRST = tuple(sorted(Method, key=lambda method: method is not Method.LEAVE_ONE_OUT))
"""The methods, first the one that the others are compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class AttributionStudy:
    """What methods say of one word, and how far they agree with leaving one out."""

    attribution: Attribution
    word: Token
    """That is asked about."""
    parts: tuple[Token, ...]
    """What gets a number: tokens, or whole words."""
    side: Side
    """What they are tokens of; the target where a decoder alone was fed them."""
    by_word: bool
    """Whether they are whole words."""

    @property
    def methods(self) -> list[Method]:
        """Those that were asked, leaving one out first."""
        return [method for method in LEAVE_ONE_OUT_FIRST if method in self.attribution.scores]

    def table(self) -> dict[str, list[object]]:
        """Return a row for each method and part."""
        rows = [(method, at) for method in self.methods for at in range(len(self.parts))]
        found, integrated = self.attribution, self.attribution.integrated
        return {
            "step": [len(found.target.fed_ids) - 1] * len(rows),
            "method": [str(method) for method, _at in rows],
            "source": [at for _method, at in rows],
            "source_word" if self.by_word else "source_token": [
                self.parts[at].text for _method, at in rows
            ],
            "score": [float(found.scores[method][at]) for method, at in rows],
            "rank_correlation": [found.agreement.get(method) for method, _at in rows],
            "probability": [found.probability] * len(rows),
            "integrated_total": [integrated and integrated.total] * len(rows),
            "integrated_difference": [integrated and integrated.difference] * len(rows),
        }


def attribution_study(
    run: Run,
    inspection: Inspection,
    step: int,
    methods: Collection[Method],
    by_word: bool = False,
) -> AttributionStudy:
    """Ask methods about a word that a run writes."""
    ids = written_ids(run, inspection)
    alone = run.model.config.is_decoder_only
    parts = inspection.fed_tokens[: step + 1] if alone else inspection.source_tokens
    words = None
    if by_word:
        words = tuple(token.word for token in inspection.source_tokens)
        parts = merged(inspection).source_tokens
    translation = inspection.translation
    target = Prediction(translation.source_ids, (translation.first, *ids[:step]), ids[step])
    return AttributionStudy(
        attribution=attribute(run.model, target, words, methods),
        word=run.target_tokenizer.describe(ids)[step],
        parts=parts,
        side="target" if alone else "source",
        by_word=by_word,
    )


def written_ids(run: Run, inspection: Inspection) -> tuple[int, ...]:
    """Return the tokens that can be asked about: the target, and EOS where the model came to it."""
    translation = inspection.translation
    ends = run.model.config.eos_ids[:1] if translation.finished else ()
    return (*translation.target_ids, *ends)


RESIDUAL_SHARE = 0.5
"""So much of a position goes on along the residual connection; the rest is attention's."""


def mixing(weights_LHQK: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return mixing_LQK: what each layer passes on, 0.5 · (mean over heads) + 0.5 · I.

    A row that may look at nothing passes on itself alone, so that every row sums to 1.
    """
    mean_LQK = weights_LHQK.astype(np.float64).mean(axis=1)
    identity_QK = np.eye(mean_LQK.shape[-1])
    mixed_LQK = (1 - RESIDUAL_SHARE) * mean_LQK + RESIDUAL_SHARE * identity_QK
    return mixed_LQK / mixed_LQK.sum(axis=-1, keepdims=True)


def rollout(weights_LHQK: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return rolled_LQK: how much of each input is in each position after each layer.

    Rows sum to 1. It knows nothing of values, W^O and feed-forward layers: a hypothesis.

    >>> one_head = np.array([[[[1.0, 0.0], [1.0, 0.0]]]], np.float32)
    >>> rollout(one_head)[-1].tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    rolled_QK = np.eye(weights_LHQK.shape[-1])
    layers = []
    for mixing_QK in mixing(weights_LHQK):
        rolled_QK = mixing_QK @ rolled_QK
        layers.append(rolled_QK)
    return np.stack(layers)


def source_rollout(
    encoder_LHSS: NDArray[np.float32], cross_HS: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return rolled_S, which sums to 1: how much of each source token is in what a row looks at.

    Args:
        encoder_LHSS: The weights of the encoder, or of a decoder alone below its last layer.
        cross_HS: What a row of the decoder looks at in the last cross-attention, or has of the
            positions below.
    """
    looked_at_S = cross_HS.astype(np.float64).mean(axis=0)
    # Below the only layer of a decoder alone are the tokens themselves.
    return np.asarray(looked_at_S @ rollout(encoder_LHSS)[-1] if len(encoder_LHSS) else looked_at_S)
