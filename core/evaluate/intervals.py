"""Confidence intervals of shares, and of differences on the same samples before and after.

N samples, each measured twice.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import spearmanr

Z = 1.959963984540054
"""Standard deviations around the mean that contain 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure before and after, with the 95 % confidence interval of the change."""

    before: float
    after: float
    low: float
    """Of the change: after − before."""
    high: float
    n: int
    """Samples, each measured before and after."""

    @property
    def change(self) -> float:
        """After − before."""
        return self.after - self.before

    @property
    def is_sure(self) -> bool:
        """Whether the interval excludes 0: chance alone seldom causes such a change."""
        return self.low > 0 or self.high < 0


def wilson(n_right: int, n: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference".

    >>> [round(bound, 4) for bound in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    share = n_right / n
    middle = share + Z**2 / (2 * n)
    reach = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    # Exact at the ends, where rounding would put 0 or 1 just outside.
    low = 0.0 if n_right == 0 else (middle - reach) / (1 + Z**2 / n)
    high = 1.0 if n_right == n else (middle + reach) / (1 + Z**2 / n)
    return low, high


def share_difference(before_N: NDArray[np.bool_], after_N: NDArray[np.bool_]) -> Difference:
    """Compare the share of samples that were right before with the share after.

    Wilson's intervals of the two shares, added as squares, less what the two have in common. Holds
    also when few or no samples change, where Wald's interval fails.

    Source: Newcombe (1998), "Improved confidence intervals for the difference between binomial
    proportions based on paired data", Statistics in Medicine 17, method 10.
    """
    n_right = int(before_N.sum()), int(after_N.sum())
    return difference_of_shares(*n_right, len(before_N), _correlation(before_N, after_N))


def difference_of_shares(n_before: int, n_after: int, n: int, phi: float = 0.0) -> Difference:
    """Compare how many of n samples were right before and after, as `share_difference` does.

    Args:
        n_before: Right before.
        n_after: Right after.
        n: All samples.
        phi: Correlation of the two; 0 if unknown, which makes the interval wider, or if one of
            them is all or nothing, which leaves it unchanged.
    """
    before, after = n_before / n, n_after / n
    (low_before, high_before), (low_after, high_after) = wilson(n_before, n), wilson(n_after, n)

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one**2 - 2 * phi * one * other + other**2))

    change = after - before
    return Difference(
        before=before,
        after=after,
        low=change - reach(after - low_after, high_before - before),
        high=change + reach(before - low_before, high_after - after),
        n=n,
    )


def _correlation(before_N: NDArray[np.bool_], after_N: NDArray[np.bool_]) -> float:
    """Return Newcombe's φ, corrected for continuity if positive."""
    n = len(before_N)
    right, wrong = int((before_N & after_N).sum()), int((~before_N & ~after_N).sum())
    lost, won = int((before_N & ~after_N).sum()), int((~before_N & after_N).sum())
    margins = (right + lost) * (won + wrong) * (right + won) * (lost + wrong)
    excess = right * wrong - lost * won
    corrected = max(0.0, excess - n / 2) if excess > 0 else excess
    return corrected / math.sqrt(margins) if margins else 0.0


def mean_difference(
    before_N: NDArray[np.float64], after_N: NDArray[np.float64], weight_N: NDArray[np.float64]
) -> Difference:
    """Compare a mean over the parts of samples before and after, such as a loss per token.

    A mean over tokens of sentences that are drawn is a ratio of two sums; its interval is the
    normal one around the ratio, from what the sentences leave over.

    Source: Cochran (1977), "Sampling Techniques", chapter 6.

    Args:
        before_N: The sum over each sample's parts.
        after_N: The same afterwards.
        weight_N: How many parts each sample has.
    """
    n, total = len(before_N), float(weight_N.sum())
    change = float((after_N - before_N).sum()) / total
    left_N = (after_N - before_N) - change * weight_N
    deviation = math.sqrt(n / (n - 1) * float((left_N**2).sum())) / total if n > 1 else math.inf
    before, after = float(before_N.sum()) / total, float(after_N.sum()) / total
    return Difference(before, after, change - Z * deviation, change + Z * deviation, n)


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two sums over samples, with its 95 % confidence interval."""

    value: float
    low: float
    high: float
    n: int
    """Samples."""


def ratio(counted_N: NDArray[np.float64], all_N: NDArray[np.float64]) -> Ratio:
    """Return which share of the parts of all samples counts, as `mean_difference` does.

    Args:
        counted_N: Parts of each sample that count.
        all_N: All parts of each sample.
    """
    found = mean_difference(np.zeros(len(all_N)), counted_N, all_N)
    return Ratio(found.after, max(found.low, 0.0), min(found.high, 1.0), found.n)


def rank_correlation(one: ArrayLike, other: ArrayLike) -> float | None:
    """Return Spearman's ρ: 1 for the same order, −1 for the opposite one, 0 for no relation.

    It is None if all values of a list are equal, as they have no order.

    >>> rank_correlation([1, 2, 3], [10, 20, 25]), rank_correlation([1, 2, 3], [5, 5, 5])
    (1.0, None)
    """
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(spearmanr(one, other).statistic)
