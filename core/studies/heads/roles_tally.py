"""Counts that become roles: what the heads of one kind look at, and what rules would.

H heads of all layers together, B batch, Q queries, K keys, O offsets, M measures.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.heads import Site
from core.studies.heads.roles_questions import Role, Rows, offsets
from core.studies.heads.summaries import distances

Counts = NDArray[np.float64]


@dataclass
class Asked:
    """One question: how many rows were asked it, and how many have the answer."""

    n: int = 0
    hits_H: Counts = field(default_factory=lambda: np.zeros(0))
    any_key: float = 0.0
    """Hits to expect of a rule that picks any visible key."""
    by_offset_O: Counts = field(default_factory=lambda: np.zeros(0))
    """Hits of the rules that always look so many places further."""


class Tally:
    """What was counted of all heads of one kind of attention; one batch after the other."""

    def __init__(self, sites: Sequence[Site], n_heads: int, longest: int) -> None:
        """Begin with nothing.

        Args:
            sites: The attention sublayers of one kind.
            n_heads: Of each of them.
            longest: No sentence has more tokens.
        """
        self.kind = sites[0].attention
        self.sites = tuple(sites)
        self.heads = [head for site in sites for head in site.heads(n_heads)]
        self.longest = longest
        self.offsets_O = np.arange(-longest, longest + 1)
        self.n_rows = 0
        """With two keys or more to choose from."""
        self.asked: dict[Role, Asked] = {}
        self.picked_HO = np.zeros((len(self.heads), 2 * longest + 1))
        """How often each head's largest weight lies at each offset."""
        self.seen_O = np.zeros(2 * longest + 1)
        """How many rows may look at an offset."""
        self.chance_O = np.zeros(2 * longest + 1)
        """How often a rule that picks any visible key picks it."""
        self.measures_HM = np.zeros((len(self.heads), 4))
        """Sums over rows of entropy in bits, its share of the largest, distance, confidence."""
        self.uniform_M = np.zeros(4)
        """The same of a head whose rows are uniform."""

    def add(self, rows: Rows, layers: Sequence[Tensor], wanted: Mapping[Role, Tensor]) -> None:
        """Count a batch.

        Args:
            rows: The batch's rows of this kind.
            layers: weights_BHQK of each layer.
            wanted: For each role wanted_BQK, True where a visible key has it.
        """
        chosen_BQ = rows.chosen_BQ
        self.n_rows += int(chosen_BQ.sum())
        uniform_BQK = _uniform(rows.visible_BQK) * chosen_BQ[..., None]
        picks = [_picks(weights_BHQK, rows.visible_BQK) for weights_BHQK in layers]
        for role, wanted_BQK in wanted.items():
            self._ask(role, wanted_BQK & chosen_BQ[..., None], uniform_BQK, picks)
        self._place(rows.visible_BQK & chosen_BQ[..., None], uniform_BQK, picks)
        self._measure(rows, uniform_BQK, layers)

    def usual_offset(self, number: int) -> int:
        """Return the offset that a head picks most often; of equally frequent ones the nearest."""
        picked_O = self.picked_HO[number]
        often_O = self.offsets_O[picked_O == picked_O.max()]
        return int(min(often_O, key=abs))

    def _ask(
        self, role: Role, wanted_BQK: Tensor, uniform_BQK: Tensor, picks: Iterable[Tensor]
    ) -> None:
        asked = self.asked.setdefault(role, Asked())
        asked.n += int(wanted_BQK.any(dim=-1).sum())
        wanted_exactly_BQK = wanted_BQK.double()
        hits = [torch.einsum("bhqk,bqk->h", each, wanted_exactly_BQK) for each in picks]
        # Adding to nothing gives the first batch.
        asked.hits_H = _sum(asked.hits_H, torch.cat(hits).numpy())
        asked.any_key += float((uniform_BQK * wanted_BQK).sum())
        asked.by_offset_O = _sum(asked.by_offset_O, self._by_offset(wanted_exactly_BQK.sum(dim=0)))

    def _place(self, seen_BQK: Tensor, uniform_BQK: Tensor, picks: Iterable[Tensor]) -> None:
        self.seen_O += self._by_offset(seen_BQK.double().sum(dim=0))
        self.chance_O += self._by_offset(uniform_BQK.sum(dim=0))
        picked_HQK = torch.cat([(each * seen_BQK[:, None]).sum(dim=0) for each in picks])
        self.picked_HO += np.stack([self._by_offset(picked_QK) for picked_QK in picked_HQK])

    def _by_offset(self, counts_QK: Tensor) -> Counts:
        """Return counts_O: what stands on each diagonal; the middle one is offset 0."""
        at_QK = offsets(*counts_QK.shape) + self.longest
        counted_O = np.bincount(
            at_QK.flatten().numpy(),
            weights=counts_QK.flatten().numpy(),
            minlength=len(self.offsets_O),
        )
        return counted_O.astype(np.float64)

    def _measure(self, rows: Rows, uniform_BQK: Tensor, layers: Sequence[Tensor]) -> None:
        chosen_BQ1 = rows.chosen_BQ[..., None]
        distance_BQK = _distances(rows)
        bits_BQ = rows.visible_BQK.sum(dim=-1).clamp_min(2).log2().double()

        def sums(weights_BHQK: Tensor) -> Tensor:
            counted_BHQK = weights_BHQK.double() * chosen_BQ1[:, None]
            entropy_BHQ = torch.special.entr(counted_BHQK).sum(dim=-1) / np.log(2)
            evenness_BHQ = entropy_BHQ / bits_BQ[:, None]
            distance_BHQ = (counted_BHQK * distance_BQK[:, None]).sum(dim=-1)
            largest_BHQ = counted_BHQK.amax(dim=-1)
            measures = (entropy_BHQ, evenness_BHQ, distance_BHQ, largest_BHQ)
            return torch.stack([each.sum(dim=(0, 2)) for each in measures], dim=-1)

        self.measures_HM += torch.cat([sums(each) for each in layers]).numpy()
        self.uniform_M += sums(uniform_BQK[:, None])[0].numpy()


def _uniform(visible_BQK: Tensor) -> Tensor:
    """Return the weights of a rule that picks any visible key."""
    return visible_BQK.double() / visible_BQK.sum(dim=-1, keepdim=True).clamp_min(1)


def _picks(weights_BHQK: Tensor, visible_BQK: Tensor) -> Tensor:
    """Return 1 where a row's largest weight lies; equally large ones share it."""
    weights_BHQK = weights_BHQK.masked_fill(~visible_BQK[:, None], -1.0)
    largest_BHQK = weights_BHQK == weights_BHQK.amax(dim=-1, keepdim=True)
    return largest_BHQK.double() / largest_BHQK.sum(dim=-1, keepdim=True)


def _distances(rows: Rows) -> Tensor:
    """Return distances_BQK in tokens, along the diagonal where the sides are of unequal length."""
    found_BQK = torch.zeros(rows.visible_BQK.shape, dtype=torch.float64)
    for sentence in range(len(found_BQK)):
        n_queries, n_keys = (int(said[sentence].sum()) for said in (rows.said_BQ, rows.said_BK))
        found_QK = distances(n_queries, n_keys, scaled=not rows.kind.is_self)
        found_BQK[sentence, :n_queries, :n_keys] = torch.from_numpy(found_QK)
    return found_BQK


def _sum(one: Counts, other: Counts) -> Counts:
    return one + other if one.size else other
