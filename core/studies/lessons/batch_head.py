"""One head and one sentence of a padded batch.

B batch, H heads, Q queries, K keys.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.heads import Head
from core.model import Transformer
from core.studies.lessons.masking import Leak, Mask, PaddedBatch, attended, leak


@dataclass(frozen=True, slots=True, eq=False)
class HeadOfBatch:
    """What one head did with one sentence of a batch, and how its rows fare in all of them."""

    visible_QK: NDArray[np.bool_]
    scores_QK: NDArray[np.float32]
    """Divided by √d_k, before the mask."""
    weights_QK: NDArray[np.float32]
    row_sums: tuple[float, float]
    """The least and the largest sum of a row, over all sentences."""
    leak: Leak
    """Over all sentences."""

    @property
    def masked_scores_QK(self) -> NDArray[np.float32]:
        """The scores as the softmax gets them: −∞ where the mask hides the key."""
        return np.where(self.visible_QK, self.scores_QK, np.float32(-np.inf))


def head_of_batch(
    model: Transformer,
    batch: PaddedBatch,
    head: Head,
    sentence: int,
    without: tuple[Mask, ...] = (),
) -> HeadOfBatch:
    """Do `attended`, and keep one head and one sentence of it."""
    done = attended(model, batch, head.site, without)
    sums_BQ = done.weights_BHQK[:, head.index].astype(np.float64).sum(axis=-1)
    return HeadOfBatch(
        visible_QK=done.visible_BQK[sentence].copy(),
        scores_QK=done.scores_BHQK[sentence, head.index].copy(),
        weights_QK=done.weights_BHQK[sentence, head.index].copy(),
        row_sums=(float(sums_BQ.min()), float(sums_BQ.max())),
        leak=leak(done.weights_BHQK, batch, head),
    )
