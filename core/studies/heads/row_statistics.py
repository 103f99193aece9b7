"""How far away the rows of every head look, and how much they add to the residual stream.

B batch, H heads, Q queries, K keys, E width of one head, D model width, R sums over rows.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...batch import collate
from ...heads import Head, Kind, Site
from ...model import Step, Transformer
from ...runs.run import Run
from .maps import outputs_of
from .question import QuestionProbe, Role, Rows, ask, heads_of, weight
from .roles import N_SENTENCES, SEED
from .texts import batches_of, pairs_read


@dataclass(frozen=True, slots=True)
class RowStatistics:
    """Means over the rows of one head that have two keys or more to choose from."""

    distance: float | None
    """Positions between a token and what it looks at, |key − query|, weighted by the weights; None
    in cross-attention, whose positions are of two texts."""
    even_distance: float | None
    """The same of an even row, which gives each visible key the same weight."""
    even_largest: float
    """The largest weight of an even row, 1 / n of n visible keys."""
    added: float | None
    """The length of what the head adds to a token's vector, as a share of the vector's length; None
    where its rows of W^O are not known."""


def row_statistics(
    run: Run, n: int = N_SENTENCES, seed: int = SEED
) -> Mapping[Head, RowStatistics]:
    """Return the statistics of every head on the sentences of `roles_of_heads`."""
    model, pad_id = run.model, run.model.config.pad_id
    kinds = list(dict.fromkeys(site.attention for site in model.sites()))
    probe = _Sums(model, kinds)
    pairs = pairs_read(run, n, seed)
    ask(model, (collate(each, pad_id) for each in batches_of(pairs, pad_id)), probe)
    return {head: probe.statistics(head) for head in heads_of(model, kinds)}


class _Sums(QuestionProbe):
    """Adds up over rows how far each head looks, and the length of what it adds."""

    def __init__(self, model: Transformer, kinds: Sequence[Kind]) -> None:
        """Ask no question: only the rows with a choice are needed."""
        super().__init__(kinds, {}, weight)
        self._output_HED = {site: outputs_of(model, site) for site in model.sites()}
        self._read: dict[tuple[Site, Step], Tensor] = {}
        self._of_even: dict[Kind, Any] = defaultdict(float)
        """Of even rows: how many there are, their distances, and their largest weights."""
        self._of_heads: dict[Site, Any] = defaultdict(float)
        """sums_RH: distances, and lengths of what the heads add."""
        self._of_stream: dict[Site, float] = defaultdict(float)
        """Lengths of the vectors that the heads add to."""

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Keep what comes before the weights."""
        if step in (Step.STREAM_IN, Step.VALUE):
            self._read[site, step] = tensor.detach().float().cpu()
        return super().at(site, step, tensor)

    def ask(self, rows: Rows, targets: Mapping[Role, Tensor]) -> None:
        """Add up what even rows do."""
        super().ask(rows, targets)
        even_BQK = rows.even_BQK
        distances, largest = even_BQK * rows.offset_QK.abs(), even_BQK.amax(dim=-1)
        sums = (rows.chosen_BQ.sum(), distances.sum(), largest.sum())
        self._of_even[rows.kind] += np.array([float(each) for each in sums])

    def add(
        self,
        site: Site,
        rows: Rows,
        _targets: Mapping[Role, Tensor],
        weights_BHQK: Tensor,
        attended_BHQK: Tensor,
    ) -> None:
        """Add up what the heads of a site do."""
        chosen_BQ = rows.chosen_BQ
        distance_BHQ = (attended_BHQK * rows.offset_QK.abs()).sum(dim=-1)
        mixed_BHQE = weights_BHQK @ self._read.pop((site, Step.VALUE))
        output_HED = self._output_HED[site]
        if output_HED is None:
            output_HED = torch.zeros((*mixed_BHQE.shape[1::2], 1))
        added_BHQD = torch.einsum("bhqe,hed->bhqd", mixed_BHQE, output_HED.float().cpu())
        measures_RBHQ = torch.stack([distance_BHQ, added_BHQD.norm(dim=-1).double()])
        self._of_heads[site] += (measures_RBHQ * chosen_BQ[:, None]).sum(dim=(1, 3)).numpy()
        length_BQ = self._read.pop((site, Step.STREAM_IN)).norm(dim=-1)
        self._of_stream[site] += float((length_BQ.double() * chosen_BQ).sum())

    def statistics(self, head: Head) -> RowStatistics:
        """Return the means of a head; zeros where no row has a choice."""
        n_rows, even_distance, even_largest = self._of_even[head.kind].tolist()
        distance, added = self._of_heads[head.site][:, head.index].tolist()
        n_rows, is_self = n_rows or 1.0, head.kind.is_self
        return RowStatistics(
            distance=distance / n_rows if is_self else None,
            even_distance=even_distance / n_rows if is_self else None,
            even_largest=even_largest / n_rows,
            added=None
            if self._output_HED[head.site] is None
            else added / (self._of_stream[head.site] or 1.0),
        )
