"""Why scores are divided by √d_k: the softmax of wide vectors, and a loaded model.

All formulas in float64. N samples, T target length, H heads, Q queries, K keys, E width of one head
(d_k), V vocabulary.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.batch import one_row
from core.decoding.sentence import Translation, translate
from core.decoding.step import sayable
from core.heads import Site
from core.inspection import even_weights
from core.messages import Message, MessageError
from core.model import Probe, Probes, Record, Rescale, Step
from core.runs.run import Run
from core.studies.heads.evenness import evenness
from core.studies.lessons.cells import Table, cells, stacked
from core.tokenizer.words import shortened

Floats = NDArray[np.float64]
WIDTHS = tuple(2**power for power in range(11))
"""Every d_k that is sampled: 1, 2, 4 … 1024."""
N_QUERIES, N_KEYS = 1000, 8
"""Queries that are sampled at each width, and keys of each."""
MOST = 16
LARGEST = 1e6


class ScoresError(MessageError, ValueError):
    """A text that is no list of scores; the message says why, and what would do."""


def read_scores(text: str) -> NDArray[np.float64]:
    """Read numbers that stand between commas, semicolons or spaces.

    A comma is never a decimal point. A minus may be − or -.

    Raises:
        ScoresError: There is no number, there are too many, or one of them cannot be.

    >>> read_scores("1, 2.5; −3").tolist()
    [1.0, 2.5, -3.0]
    """
    words = text.replace(",", " ").replace(";", " ").split()
    if not words:
        raise ScoresError("There are no scores. Type numbers with commas between them: 1, 2, 3.")
    if len(words) > MOST:
        said = Message(
            "There are {n} scores; at most {most} can be shown.", n=len(words), most=MOST
        )
        raise ScoresError(said)
    return np.array([_number(word) for word in words], dtype=np.float64)


def _number(word: str) -> float:
    try:
        # float() would also read 1_000.
        number = float("_" if "_" in word else word.replace("−", "-"))
    except ValueError:
        said = Message("“{word}” is not a number. Type them like 1, 2.5, -3.", word=_short(word))
        raise ScoresError(said) from None
    if not math.isfinite(number):
        said = Message("“{word}” is not a finite number, so it has no softmax.", word=_short(word))
        raise ScoresError(said)
    if abs(number) > LARGEST:
        said = Message(
            "“{word}” is too large: scores go from -1000000 to 1000000.", word=_short(word)
        )
        raise ScoresError(said)
    return number


def _short(word: str) -> str:
    return shortened(word, 20)


def softmax(scores_NK: Floats) -> Floats:
    """Return the softmax of each row; exact for scores of any size, since it takes the largest off.

    >>> softmax(np.array([1e6, 1e6])).tolist()
    [0.5, 0.5]
    """
    exponentials_NK = np.exp(scores_NK - scores_NK.max(axis=-1, keepdims=True))
    total_N1 = exponentials_NK.sum(axis=-1, keepdims=True)
    return np.asarray(exponentials_NK / total_N1, dtype=np.float64)


def jacobian(outputs_K: Floats) -> Floats:
    """Return ∂yᵢ/∂xⱼ of the softmax where its outputs are y: diag(y) − yyᵀ.

    >>> jacobian(np.array([0.5, 0.5])).tolist(), jacobian(np.array([1.0, 0.0])).any().item()
    ([[0.25, -0.25], [-0.25, 0.25]], False)
    """
    # Taken from 0, since −0 would be shown with its sign.
    jacobian_KK = 0.0 - np.outer(outputs_K, outputs_K)
    np.fill_diagonal(jacobian_KK, outputs_K * _others(outputs_K))
    return jacobian_KK


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """What a softmax makes of its scores, and how it answers when they move."""

    scores_K: Floats
    outputs_K: Floats
    jacobian_KK: Floats
    norm: float
    """The Jacobian's Frobenius norm: the root of the sum of all squared entries."""


def response(scores_K: Floats, factor: float = 1.0) -> Response:
    """Return what the softmax does with scores that are multiplied by a factor.

    >>> round(response(np.array([1.0, 2.0]), factor=0.0).norm, 6)
    0.5
    """
    multiplied_K = np.asarray(factor * scores_K, dtype=np.float64)
    outputs_K = softmax(multiplied_K)
    jacobian_KK = jacobian(outputs_K)
    return Response(
        multiplied_K,
        outputs_K,
        jacobian_KK,
        norm=float(jacobian_norms(multiplied_K[None])[0]),
    )


def jacobian_norms(scores_NK: Floats) -> Floats:
    """Return the Frobenius norm of the softmax's Jacobian for each row of scores.

    Without building the matrices: ‖J‖² = Σᵢ yᵢ² (1 − yᵢ)² + Σᵢ yᵢ² Σⱼ≠ᵢ yⱼ².

    >>> jacobian_norms(np.array([[3.0, 3.0]])).tolist()
    [0.5]
    """
    y_NK = softmax(scores_NK)
    squares_NK = _others(y_NK) ** 2 + _others(y_NK**2)
    return np.asarray(np.sqrt((y_NK**2 * squares_NK).sum(axis=-1)))


def _others(numbers_NK: Floats) -> Floats:
    """Return for each number of a row the sum of all others.

    The row's sum minus the number, such as 1 − y, would lose all digits where y is nearly 1.
    """
    return np.asarray(numbers_NK @ (1.0 - np.eye(numbers_NK.shape[-1])), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Sampled:
    """What was sampled at one d_k, with the scores as they are and divided by √d_k."""

    d_k: int
    variance_unscaled: float
    """Of q·k over all queries and keys."""
    variance_scaled: float
    gradient_unscaled: float
    """Mean Frobenius norm of the softmax's Jacobian at the scores of one query."""
    gradient_scaled: float


def sampled_widths(n: int, seed: int) -> tuple[Sampled, ...]:
    """Sample how far scores spread, and how much gradient comes through their softmax.

    Queries and keys have independent normal components of mean 0 and variance 1.
    """
    random = np.random.default_rng(seed)
    found = []
    for width in WIDTHS:
        # Twice as fast as drawing in float64; what is computed from them is not rounded again.
        query_NE = random.standard_normal((n, width), dtype=np.float32)
        key_NKE = random.standard_normal((n, N_KEYS, width), dtype=np.float32)
        scores_NK = np.einsum("ne,nke->nk", query_NE, key_NKE).astype(np.float64)
        variance = float(scores_NK.var())
        unscaled, scaled = (
            float(jacobian_norms(scores_NK / divisor).mean()) for divisor in (1, np.sqrt(width))
        )
        found.append(Sampled(width, variance, variance / width, unscaled, scaled))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class WhyScale:
    """One softmax at a width with the division by √d_k and without, and sampled ones at all."""

    scaled: Response
    """To the scores themselves, whose spread is that of scores divided by √d_k."""
    unscaled: Response
    """To √d_k times the scores."""
    sampled: tuple[Sampled, ...]

    def table(self) -> Table:
        """Return the Jacobians, the outputs, and what was sampled."""
        slopes = {"slope_unscaled": self.unscaled.jacobian_KK, "slope": self.scaled.jacobian_KK}
        outputs = {
            "score_unscaled": self.unscaled.scores_K.tolist(),
            "output_unscaled": self.unscaled.outputs_K.tolist(),
            "score": self.scaled.scores_K.tolist(),
            "output": self.scaled.outputs_K.tolist(),
        }
        names = [each.name for each in fields(Sampled)]
        widths = {name: [getattr(each, name) for each in self.sampled] for name in names}
        return stacked(cells("row", "column", slopes), outputs, widths)


def why_scale(scores: Sequence[float], d_k: int, seed: int = 0) -> WhyScale:
    """Compare a softmax with the division by √d_k and without it.

    Args:
        scores: As they are after the division.
        d_k: Width of a head: without the division they are √d_k times as large.
        seed: Of what is sampled.
    """
    scores_K = np.array(scores, dtype=np.float64)
    return WhyScale(
        response(scores_K), response(scores_K, math.sqrt(d_k)), sampled_widths(N_QUERIES, seed)
    )


PerHead = Mapping[Site, tuple[float, ...]]
"""One number for each head of each attention sublayer."""


def mean_of(heads: PerHead) -> float:
    """Return the mean over all heads of all sublayers; there must be some."""
    return float(np.mean(_listed(heads)))


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
    unscaled_variance: PerHead
    """Of q·k over all pairs of a query and a key that it may see, as the model learned it."""
    scaled_variance: PerHead
    """The same of q·k / √d_k."""

    def table(self) -> Table:
        """Return a row for each head, and the losses and choices."""
        heads = {
            "unscaled": self.unscaled,
            "scaled": self.scaled,
            "unscaled_variance": self.unscaled_variance,
            "scaled_variance": self.scaled_variance,
        }
        named: Table = {
            "head": [str(each) for site, of in self.scaled.items() for each in site.heads(len(of))]
        }
        named |= {name: _listed(numbers) for name, numbers in heads.items()}
        choices: Table = {
            "unscaled_loss": [self.unscaled_loss],
            "scaled_loss": [self.scaled_loss],
            "same_choices": [self.n_same],
            "tokens": [self.n_tokens],
        }
        return stacked(named, choices)


def _listed(heads: PerHead) -> list[float]:
    return [each for numbers in heads.values() for each in numbers]


def without_scaling(run: Run, sentence: str) -> Rescaled:
    """Take the scaling away everywhere, and measure how heads and guesses change.

    Every sublayer goes on with what came out of those before it; both passes are fed the same
    translation, which is also what they are to predict.
    """
    translation = translate(run, sentence)
    before = Record(frozenset({Step.VISIBLE, Step.WEIGHTS, Step.PRODUCTS}))
    after = Record()
    taken_away = Probes((Rescale(math.sqrt(run.settings.model.d_k)), after))
    scaled_TV = _logits(run, translation, before)
    unscaled_TV = _logits(run, translation, taken_away)
    config = run.model.config
    guessed_T = sayable(scaled_TV, config).argmax(dim=-1)
    variances = {site: _variances(before, site) for site in run.model.sites()}
    d_k = run.settings.model.d_k
    same_T = guessed_T == sayable(unscaled_TV, config).argmax(dim=-1)
    return Rescaled(
        scaled={site: _evenness(before, site) for site in run.model.sites()},
        unscaled={site: _evenness(after, site) for site in run.model.sites()},
        n_tokens=len(same_T),
        n_same=int(same_T.sum()),
        scaled_loss=_loss(run, scaled_TV, translation),
        unscaled_loss=_loss(run, unscaled_TV, translation),
        unscaled_variance=variances,
        scaled_variance={
            site: tuple(each / d_k for each in heads) for site, heads in variances.items()
        },
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
