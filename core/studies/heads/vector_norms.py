"""How far a head moves a token by each key: the length of weight times value times W^O.

A key with a large weight and a short value moves little (Kobayashi et al., "Attention is Not Only a
Weight: Analyzing Transformers with Vector Norms", 2020).

Q queries, K keys, D model width.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...heads import Head
from ...inspection import Inspection
from ...runs.run import Run
from .maps import cell_columns
from .steps import HeadSteps, head_steps


@dataclass(frozen=True, slots=True, eq=False)
class VectorNorms:
    """The lengths of the vectors that a head adds up, between tokens."""

    steps: HeadSteps
    norms_QK: NDArray[np.float64]
    """‖w v W^O‖ of each query and key."""

    @property
    def shares_QK(self) -> NDArray[np.float64]:
        """Each length as a share of its row's; a row of zeros stays one."""
        sums_Q1 = self.norms_QK.sum(axis=1, keepdims=True)
        return self.norms_QK / np.where(sums_Q1 == 0, 1.0, sums_Q1)

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return one row for each cell."""
        return {
            **cell_columns(self.steps.queries, self.steps.keys),
            "visible": self.steps.visible_QK.reshape(-1).tolist(),
            "weight": self.steps.weights_QK.reshape(-1).tolist(),
            "norm": self.norms_QK.reshape(-1).tolist(),
            "share": self.shares_QK.reshape(-1).tolist(),
        }


def vector_norms(run: Run, sentence: str, head: Head, inspection: Inspection) -> VectorNorms:
    """Return how far a head moves each query by each key, in the pass of an inspection."""
    steps = head_steps(run, sentence, head, inspection)
    output_ED = steps.output_HED[head.index].astype(np.float64)
    moved_KD = steps.value.made_KE.astype(np.float64) @ output_ED
    norms_QK = steps.weights_QK.astype(np.float64) * np.linalg.norm(moved_KD, axis=1)
    return VectorNorms(steps, norms_QK)
