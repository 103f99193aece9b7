"""What dividing by √d_k does in a loaded model: its scores, its heads, its guesses.

T target length, H heads, Q queries, K keys, E width of one head, V vocabulary.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.batch import one_row
from core.decoding.sentence import Translation
from core.decoding.step import sayable
from core.heads import Site
from core.inspection import even_weights
from core.model import (
    Probe,
    Probes,
    Record,
    Rescale,
    Step,
)
from core.runs.run import Run
from core.studies.heads.evenness import evenness

PerHead = Mapping[Site, tuple[float, ...]]
"""One number for each head of each attention sublayer."""


def mean_of(heads: PerHead) -> float:
    """Return the mean over all heads of all sublayers; there must be some."""
    return float(np.mean([each for numbers in heads.values() for each in numbers]))


@dataclass(frozen=True, slots=True)
class ScoreSpread:
    """How far apart the scores of each head are on one sentence."""

    unscaled: PerHead
    """Variance of q·k over all pairs of a query and a key that it may see."""
    scaled: PerHead
    """Variance of q·k / √d_k over the same pairs."""


def score_spread(run: Run, translation: Translation) -> ScoreSpread:
    """Measure the variance of every head's scores in one pass that is fed a translation."""
    record = Record(steps=frozenset({Step.VISIBLE, Step.PRODUCTS}))
    _logits(run, translation, record)
    d_k = run.settings.model.d_k
    unscaled = {site: _variances(record, site) for site in run.model.sites()}
    return ScoreSpread(
        unscaled, {site: tuple(each / d_k for each in heads) for site, heads in unscaled.items()}
    )


@dataclass(frozen=True, slots=True)
class Rescaled:
    """One sentence with the scaling as the model learned it, and with the scaling taken away."""

    scaled: PerHead
    """Evenness of each head: 1 where rows are uniform, 0 where each looks at one key."""
    unscaled: PerHead
    """The same with every score of every sublayer multiplied by √d_k."""
    n_tokens: int
    """Tokens of the translation, EOS included."""
    n_same: int
    """Of them, those whose most probable token is the same without the scaling."""
    scaled_loss: float
    """Cross-entropy per token of the translation, in nats."""
    unscaled_loss: float


def without_scaling(run: Run, translation: Translation) -> Rescaled:
    """Take the scaling away everywhere, and measure what becomes of heads and guesses.

    Every sublayer goes on with what came out of those before it; both passes are fed the same
    translation, which is also what they are to predict.
    """
    before, after = Record(), Record()
    taken_away = Probes((Rescale(math.sqrt(run.settings.model.d_k)), after))
    scaled_TV = _logits(run, translation, before)
    unscaled_TV = _logits(run, translation, taken_away)
    config = run.model.config
    guessed_T = sayable(scaled_TV, config).argmax(dim=-1)
    same_T = guessed_T == sayable(unscaled_TV, config).argmax(dim=-1)
    return Rescaled(
        scaled={site: _evenness(before, site) for site in run.model.sites()},
        unscaled={site: _evenness(after, site) for site in run.model.sites()},
        n_tokens=len(same_T),
        n_same=int(same_T.sum()),
        scaled_loss=_loss(run, scaled_TV, translation),
        unscaled_loss=_loss(run, unscaled_TV, translation),
    )


@torch.inference_mode()
def _logits(run: Run, translation: Translation, probe: Probe) -> Tensor:
    """Return logits_TV of the translation's tokens."""
    fed_ids = (translation.first, *_written(run, translation)[:-1])
    logits_BTV: Tensor = run.model(one_row(translation.source_ids), one_row(fed_ids), probe)
    return logits_BTV[0]


def _written(run: Run, translation: Translation) -> tuple[int, ...]:
    """Return a translation as it was written: with EOS, unless it met the length limit before."""
    ends = run.model.config.eos_ids[:1] if translation.finished else ()
    return (*translation.target_ids, *ends)


def _loss(run: Run, logits_TV: Tensor, translation: Translation) -> float:
    labels_T = torch.tensor(_written(run, translation))
    return float(cross_entropy(logits_TV.double(), labels_T))


def _variances(record: Record, site: Site) -> tuple[float, ...]:
    products_HQK = record.tensors[site, Step.PRODUCTS][0].double().numpy()
    visible_QK = _visible(record, site, products_HQK.shape[1:])
    return tuple(float(products_QK[visible_QK].var()) for products_QK in products_HQK)


def _evenness(record: Record, site: Site) -> tuple[float, ...]:
    weights_HQK = record.weights(site)[0].numpy()
    even_QK = even_weights(_visible(record, site, weights_HQK.shape[1:]))
    return tuple(evenness(weights_QK, even_QK) for weights_QK in weights_HQK)


def _visible(record: Record, site: Site, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    return np.broadcast_to(record.tensors[site, Step.VISIBLE][0].numpy(), shape)
