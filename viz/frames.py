"""Numbers as tables."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

ROWS = 12


def softmax_table(
    logits: npt.NDArray[np.float32], tokens: Sequence[str], temperature: float
) -> pd.DataFrame:
    """Return the tokens with the highest scores, step by step from score to probability.

    Args:
        logits: One score per token; −∞ for those that cannot be said.
        tokens: Their texts.
        temperature: Divides the scores.

    Returns:
        Columns token, z, z / τ, e^(z / τ − largest), p; the sum of the third over all tokens is
        what p is divided by. Below them the rest, so that p sums to 1.
    """
    scaled = logits.astype(np.float64) / temperature
    # Subtracting the largest changes no probability, and keeps the exponentials finite.
    exponentials = np.exp(scaled - scaled.max())
    probabilities = exponentials / exponentials.sum()
    best = np.argsort(-logits, kind="stable")[:ROWS]
    rest = np.setdiff1d(np.arange(len(logits)), best)
    return pd.DataFrame(
        {
            "token": [*(tokens[i] for i in best), f"{len(rest)} others"],
            "z": [*logits[best].astype(np.float64), None],
            "z / τ": [*scaled[best], None],
            "e^(z/τ − max)": [*exponentials[best], exponentials[rest].sum()],
            "p": [*probabilities[best], probabilities[rest].sum()],
        }
    )
