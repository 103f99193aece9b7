"""Why scores are divided by √d_k: what wide vectors do to the softmax and to its gradient.

All formulas in float64. N samples, K keys, E width of one head (d_k).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Distribution = Literal["normal", "uniform", "±1"]
"""Of a vector's components, all with mean 0 and variance 1: normal, uniform from −√3 to √3, or
−1 and 1 with even chances."""
DISTRIBUTIONS: tuple[Distribution, ...] = get_args(Distribution)
Average = Literal["mean", "median"]
AVERAGES: tuple[Average, ...] = get_args(Average)
WIDTHS = tuple(2**power for power in range(11))
"""Every d_k that is sampled: 1, 2, 4 … 1024."""


def softmax(scores_NK: Floats) -> Floats:
    """Return the softmax of each row; exact for scores of any size, since it takes the largest off.

    >>> softmax(np.array([1e6, 1e6])).tolist()
    [0.5, 0.5]
    """
    exponentials_NK = np.exp(scores_NK - scores_NK.max(axis=-1, keepdims=True))
    total_N1 = exponentials_NK.sum(axis=-1, keepdims=True)
    return np.asarray(exponentials_NK / total_N1, dtype=np.float64)


def stretched_softmax(sizes_N: Floats | Sequence[float]) -> Floats:
    """Return softmax([a, a, 2a]) for each a, one row each.

    >>> stretched_softmax([0.0]).round(3).tolist()
    [[0.333, 0.333, 0.333]]
    """
    return softmax(np.outer(np.asarray(sizes_N, dtype=np.float64), [1.0, 1.0, 2.0]))


def sizes_around(size: float, usual: float = 12.0, count: int = 241) -> Floats:
    """Return evenly spaced a from 0 to the usual end, or farther where the chosen a lies outside.

    >>> sizes_around(1.0, count=3).tolist(), sizes_around(-4.0, count=3).tolist()
    ([0.0, 6.0, 12.0], [-4.0, 4.0, 12.0])
    """
    return np.linspace(min(0.0, size), max(usual, size), count)


def jacobian(outputs_K: Floats) -> Floats:
    """Return ∂yᵢ/∂xⱼ of the softmax where its outputs are y: diag(y) − yyᵀ.

    >>> jacobian(np.array([0.5, 0.5])).tolist(), jacobian(np.array([1.0, 0.0])).any().item()
    ([[0.25, -0.25], [-0.25, 0.25]], False)
    """
    # Taken from 0, since −0 would be shown with its sign.
    jacobian_KK = 0.0 - np.outer(outputs_K, outputs_K)
    np.fill_diagonal(jacobian_KK, outputs_K * _others(outputs_K))
    return jacobian_KK


def stretched_slopes(size: float) -> Floats:
    """Return dy/da of softmax([a, a, 2a]): how steep its curves over a are.

    It is softmax([0, 0, a]) too, so that ∂y/∂x of the third score says it, with all its digits.

    >>> stretched_slopes(0.0).round(3).tolist()
    [-0.111, -0.111, 0.222]
    """
    [outputs_K] = stretched_softmax([size])
    return jacobian(outputs_K)[:, 2]


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """What a softmax makes of its scores, and how it answers when they move."""

    scores_K: Floats
    outputs_K: Floats
    jacobian_KK: Floats
    largest: float
    """The Jacobian's entry that is farthest from 0, without its sign."""
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
        largest=float(np.abs(jacobian_KK).max()),
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
class Spread:
    """What was measured at one d_k, with the scores as they are and divided by √d_k."""

    d_k: int
    unscaled: float
    scaled: float


def product_variances(distribution: Distribution, n: int, seed: int) -> list[Spread]:
    """Sample the variance of q·k at every width.

    Args:
        distribution: Of the components, which are independent.
        n: Pairs of a query and a key at each width; new ones at each.
        seed: Of the generator.
    """
    random = np.random.default_rng(seed)
    found = []
    for width in WIDTHS:
        query_NE, key_NE = (_components(random, distribution, (n, width)) for _ in "qk")
        variance = float(np.einsum("ne,ne->n", query_NE, key_NE).var())
        found.append(Spread(width, variance, variance / width))
    return found


def sampled_gradients(n_keys: int, n: int, seed: int, average: Average = "mean") -> list[Spread]:
    """Sample how much gradient comes through the softmax at every width.

    Queries and keys have independent normal components of mean 0 and variance 1. Measured is the
    Frobenius norm of the softmax's Jacobian at the scores of one query over its keys.

    Args:
        n_keys: For each query.
        n: Queries at each width, each with keys of its own; new ones at each width.
        seed: Of the generator.
        average: Over the queries.
    """
    random = np.random.default_rng(seed)
    found = []
    for width in WIDTHS:
        query_NE = _components(random, "normal", (n, width))
        key_NKE = _components(random, "normal", (n, n_keys, width))
        scores_NK = np.einsum("ne,nke->nk", query_NE, key_NKE).astype(np.float64)
        norms_2N = np.stack([jacobian_norms(scores_NK), jacobian_norms(scores_NK / np.sqrt(width))])
        middle_2 = norms_2N.mean(axis=1) if average == "mean" else np.median(norms_2N, axis=1)
        found.append(Spread(width, float(middle_2[0]), float(middle_2[1])))
    return found


def _components(
    random: np.random.Generator, distribution: Distribution, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Draw independent components of mean 0 and variance 1."""
    if distribution == "normal":
        # Twice as fast as drawing in float64; what is computed from them is not rounded again.
        return random.standard_normal(shape, dtype=np.float32)
    if distribution == "uniform":
        return random.uniform(-np.sqrt(3.0), np.sqrt(3.0), shape)
    return random.integers(0, 2, shape) * 2.0 - 1.0
