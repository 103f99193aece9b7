"""How alike heads are: whether they look at the same keys.

N heads of one kind of attention, B batch, H heads of a layer, Q queries, K keys, R rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...batch import Pair, collate
from ...heads import Head, Kind
from ...model import Record, Step, Transformer
from ...runs.run import Run
from .question import Rows, heads_of, read
from .texts import batches_of, pairs_read

N_SENTENCES, SEED = 100, 0
ROWS_AT_ONCE = 1024
"""Of every head: all rows of long sentences together would be too large."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How alike the heads of one kind of attention are."""

    heads: tuple[Head, ...]
    likeness_NN: NDArray[np.float64]
    """1 less the mean Jensen-Shannon distance of their rows: 1 for heads that always have the same
    weights, 0 for heads that never look at the same key. Symmetric."""
    n_rows: int
    """Rows that have two keys or more to choose from."""

    def of(self, head: Head) -> list[tuple[Head, float]]:
        """Return all other heads with their likeness to one, the most alike first."""
        found = zip(self.heads, self.likeness_NN[self.heads.index(head)].tolist(), strict=True)
        return sorted((each for each in found if each[0] != head), key=lambda other: -other[1])


def head_likeness(run: Run, kind: Kind, n: int = N_SENTENCES, seed: int = SEED) -> Likeness:
    """Compare all heads of a kind of attention on up to `n` held-out sentences."""
    return likeness(run.model, pairs_read(run, n, seed), kind)


@torch.inference_mode()
def likeness(model: Transformer, pairs: Sequence[Pair], kind: Kind) -> Likeness:
    """Compare all heads of a kind of attention on some sentences."""
    sites = [site for site in model.sites() if site.attention is kind]
    heads = tuple(heads_of(model, [kind]))
    distance_NN = torch.zeros(len(heads), len(heads), dtype=torch.float64)
    n_rows = 0
    for group in batches_of(pairs, model.config.pad_id):
        batch = collate(group, model.config.pad_id)
        record = Record(sites=frozenset(sites))
        read(model, batch, record)
        chosen_BQ = Rows.of(kind, batch, record.tensors[sites[0], Step.VISIBLE]).chosen_BQ
        n_rows += int(chosen_BQ.sum())
        rows = [record.weights(site).cpu().transpose(1, 2)[chosen_BQ] for site in sites]
        weights_NRK = torch.cat(rows, dim=1).transpose(0, 1)
        for part_NRK in weights_NRK.split(ROWS_AT_ONCE, dim=1):
            distance_NN += _distances(part_NRK.double())
    return Likeness(heads, (1 - distance_NN / max(n_rows, 1)).numpy(), n_rows)


def _distances(weights_NRK: Tensor) -> Tensor:
    """Return distances_NN, summed over rows: the root of the divergence in bits (0 to 1).

    Source: Endres and Schindelin, "A new metric for probability distributions" (2003).
    """
    n_heads = len(weights_NRK)
    entropy_NR = torch.special.entr(weights_NRK).sum(dim=-1)
    distance_NN = torch.zeros(n_heads, n_heads, dtype=weights_NRK.dtype)
    for one in range(n_heads):
        # One head with those after it at a time: all pairs at once would be too large.
        later = slice(one + 1, None)
        middle_NRK = (weights_NRK[one] + weights_NRK[later]) / 2
        divergence_NR = torch.special.entr(middle_NRK).sum(dim=-1)
        divergence_NR -= (entropy_NR[one] + entropy_NR[later]) / 2
        # Rounding must not lead out of 0 to 1.
        distance_NR = (divergence_NR / np.log(2)).clamp(0, 1).sqrt()
        distance_NN[one, later] = distance_NN[later, one] = distance_NR.sum(dim=-1)
    return distance_NN
