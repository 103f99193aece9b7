"""Why scores are divided by √d_k: the softmax of wide vectors.

All formulas in float64. N samples, K keys, E width of one head (d_k).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ...messages import Message, MessageError
from ..cells import Table, cells, stacked

Floats = NDArray[np.float64]
WIDTHS = tuple(2**power for power in range(11))
"""Every d_k that is sampled: 1, 2, 4 … 1024."""
N_QUERIES, N_KEYS = 1000, 8
"""Queries that are sampled at each width, and keys of each."""
MOST = 16
LARGEST = 1e6


class ScoresError(MessageError, ValueError):
    """A text that is no list of scores; the message says what would do."""


def read_scores(text: str) -> NDArray[np.float64]:
    """Read numbers that stand between commas, semicolons or spaces.

    A comma is never a decimal point. A minus may be − or -.

    Raises:
        ScoresError: They are no numbers, too many, or too large.

    >>> read_scores("1, 2.5; −3").tolist()
    [1.0, 2.5, -3.0]
    """
    words = text.replace(",", " ").replace(";", " ").replace("−", "-").split()
    try:
        scores = np.array([float(word) for word in words], dtype=np.float64)
    except ValueError:
        scores = np.array([])
    if not 1 <= len(scores) <= MOST or not (np.abs(scores) <= LARGEST).all():
        raise ScoresError(
            Message("Type 1 to {most} numbers with commas between them: 1, 2.5, -3.", most=MOST)
        )
    return scores


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
    """To the scores divided by √d_k."""
    unscaled: Response
    """To the scores themselves."""
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
    """Compare a softmax with the division by √d_k and without it."""
    scores_K = np.array(scores, dtype=np.float64)
    return WhyScale(
        response(scores_K, 1 / math.sqrt(d_k)), response(scores_K), sampled_widths(N_QUERIES, seed)
    )
