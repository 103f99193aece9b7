"""The probes: what can be looked at in a forward pass, and what can be changed.

B batch, H heads, Q queries, K keys, E width of one head, D model width.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import torch
from torch import Tensor

from ..heads import Head, Kind, Site
from .probe import Probe, Probes, Step


@dataclass(frozen=True)
class Record:
    """Records the chosen steps of the chosen sites, and changes nothing."""

    steps: frozenset[Step] = frozenset({Step.VISIBLE, Step.WEIGHTS})
    sites: frozenset[Site] | None = None
    """None for all of them."""
    keep_graph: bool = False
    """Keep the tensors in the autograd graph, for a loss on them; else detach them."""
    tensors: dict[tuple[Site, Step], Tensor] = field(default_factory=dict)

    def sees(self, site: Site) -> bool:
        """The chosen sites."""
        return self.sites is None or site in self.sites

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Keep the tensor under its site and step."""
        if step in self.steps:
            self.tensors[site, step] = tensor if self.keep_graph else tensor.detach()
        return tensor

    def weights(self, site: Site) -> Tensor:
        """Return the recorded weights_BHQK of a site."""
        return self.tensors[site, Step.WEIGHTS]


@dataclass(frozen=True)
class _HeadProbe:
    """Changes some heads."""

    heads: frozenset[Head]

    @classmethod
    def of(cls, heads: Iterable[Head]) -> Self:
        return cls(frozenset(heads))

    def sees(self, site: Site) -> bool:
        return any(site == head.site for head in self.heads)

    def _indices(self, site: Site) -> list[int]:
        return [head.index for head in self.heads if head.site == site]


@dataclass(frozen=True)
class Silence(_HeadProbe):
    """Removes heads: their terms are missing from the sum in W^O.

    A pointer does not copy what they look at, either.
    """

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace a silenced head's mixed values by zeros."""
        if step not in (Step.MIXED, Step.COPY_WEIGHTS):
            return tensor
        audible_H = torch.ones(tensor.shape[1], dtype=torch.bool, device=tensor.device)
        audible_H[self._indices(site)] = False
        return tensor * audible_H[:, None, None]


@dataclass(frozen=True)
class Uniform(_HeadProbe):
    """Makes heads attend uniformly: values are averaged over all visible keys."""

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Make the heads' scores equal, so that visible keys get equal weights."""
        if step is not Step.SCORES:
            return tensor
        scores_BHQK = tensor.clone()
        # A softmax accepts any constant; linear attention divides by the sum.
        scores_BHQK[:, self._indices(site)] = 1.0
        return scores_BHQK


@dataclass(frozen=True)
class _MixedProbe:
    """Replaces the mixed values of some heads."""

    mixed: Mapping[Head, Tensor]

    def sees(self, site: Site) -> bool:
        return any(site == head.site for head in self.mixed)

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace the mixed values of the heads."""
        if step is not Step.MIXED:
            return tensor
        mixed_BHQE = tensor.clone()
        for head, values in self.mixed.items():
            if head.site == site:
                self._replace(mixed_BHQE[:, head.index], values)
        return mixed_BHQE

    def _replace(self, mixed_BQE: Tensor, values: Tensor) -> None:
        mixed_BQE[:] = values


class Freeze(_MixedProbe):
    """Makes heads output the same at every position of every sentence (mean ablation).

    `mixed` maps a head to mixed_E, as a rule its average over held-out sentences. What a head
    brings on average stays, what it brings because of this sentence goes. Silencing takes both, and
    so may leave the rest with sums that it has never met (Wang et al. 2022, "Interpretability in
    the Wild").
    """


class Patch(_MixedProbe):
    """Replaces heads' mixed values by those from another forward pass.

    `mixed` maps a head to mixed_BQE from a `Record` of `Step.MIXED`. Positions that only one of the
    two passes has stay as they are.
    """

    def _replace(self, mixed_BQE: Tensor, values: Tensor) -> None:
        n = min(mixed_BQE.shape[1], values.shape[1])
        mixed_BQE[:, :n] = values[:, :n]

    def after(self, n_positions: int) -> Self:
        """Return the probe for a pass whose first target position is `n_positions`."""
        return type(self)(
            {
                head: mixed if head.site.in_encoder else mixed[:, n_positions:]
                for head, mixed in self.mixed.items()
            }
        )


@dataclass(frozen=True)
class Override:
    """Replaces one row of one head's weights."""

    head: Head
    query: int
    """Row in the sublayer's tensor; see `continued`."""
    weights_K: Tensor
    """Padded with 0, or cut, to the number of keys."""

    def sees(self, site: Site) -> bool:
        """The one site."""
        return site == self.head.site

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace the row, in every sentence of the batch, if it is one of those computed."""
        if step is not Step.WEIGHTS or self.query not in range(tensor.shape[2]):
            return tensor
        weights_BHQK = tensor.clone()
        row_BK, n = weights_BHQK[:, self.head.index, self.query], tensor.shape[3]
        row_BK[:] = 0.0
        row_BK[:, : len(self.weights_K)] = self.weights_K[:n]
        return weights_BHQK

    def after(self, n_positions: int) -> Self:
        """Return the probe for a pass whose first target position is `n_positions`."""
        if self.head.site.in_encoder:
            return self
        return replace(self, query=self.query - n_positions)


@dataclass(frozen=True)
class Remask:
    """Replaces the model's attention masks."""

    visible: Mapping[Kind, Tensor]
    """Kind of attention → visible_BQK, True where a query may look at a key;
    dimensions of size 1 broadcast."""

    def sees(self, site: Site) -> bool:
        """The sites of the given kinds of attention."""
        return site.is_attention and site.attention in self.visible

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace the mask."""
        return self.visible[site.attention] if step is Step.VISIBLE else tensor


@dataclass(frozen=True)
class Unplace:
    """Removes positions of every kind: added to tokens, added to scores, or rotary.

    The sentence becomes a bag of words, except for parts that read in order (look-ahead mask,
    recurrence, convolution).
    """

    unturned: dict[tuple[Site, Step], Tensor] = field(default_factory=dict)
    """Queries and keys before rotation."""

    def sees(self, site: Site) -> bool:
        """Embeddings and self-attention, where positions come in."""
        return site.sublayer == "embedding" or site.is_self

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace positions by zeros, and rotated queries and keys by the originals."""
        match step:
            case Step.POSITIONS | Step.POSITION_BIAS:
                return torch.zeros_like(tensor)
            case Step.QUERY | Step.KEY:
                self.unturned[site, step] = tensor
            case Step.ROTATED_QUERY:
                return self.unturned.pop((site, Step.QUERY))
            case Step.ROTATED_KEY:
                key_BHKE = self.unturned.pop((site, Step.KEY))
                # Repeat each set of keys for every head that shares it.
                return key_BHKE.repeat_interleave(tensor.shape[1] // key_BHKE.shape[1], dim=1)
        return tensor


class EnoughError(Exception):
    """Ends a pass once everything requested is recorded."""


@dataclass(frozen=True)
class UntilWeights:
    """Ends a pass after the last weights that a probe needs, by `EnoughError`.

    Saves the time of the layers above and of the scores of a large vocabulary.
    """

    probe: Probe
    """Uses steps up to the weights only."""
    left: set[Site]
    """The sites whose weights are still to come; if empty at first, the pass goes to its end."""

    @classmethod
    def of(cls, probe: Probe, sites: Iterable[Site]) -> Self:
        """Return the probe for one pass of a model with these attention sites."""
        return cls(probe, {site for site in sites if probe.sees(site)})

    def sees(self, site: Site) -> bool:
        """Same sites as the probe."""
        return self.probe.sees(site)

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Pass the tensor to the probe, and end the pass after its last weights."""
        tensor = self.probe.at(site, step, tensor)
        if step is Step.WEIGHTS and site in self.left:
            self.left.remove(site)
            if not self.left:
                raise EnoughError
        return tensor


def continued(probe: Probe, n_positions: int) -> Probe:
    """Return the probe for a pass that computes only rows after the first `n_positions`.

    As with a cache. A probe that names rows counts them from the first row that is computed, so
    they are shifted.
    """
    match probe:
        case Override() | Patch():
            return probe.after(n_positions)
        case Probes():
            return Probes([continued(each, n_positions) for each in probe.probes])
        case _:
            return probe
