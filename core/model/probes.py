"""The probes: what can be looked at in a forward pass, and what can be changed.

B batch, H heads, Q queries, K keys, E width of one head, D model width.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

import torch
from torch import Tensor

from core.model.probe import Site, Step


@dataclass(frozen=True)
class Record:
    """Keeps the chosen steps of the chosen sites, and changes nothing."""

    steps: frozenset[Step] = frozenset({Step.VISIBLE, Step.WEIGHTS})
    sites: frozenset[Site] | None = None
    """None for all of them."""
    keep_graph: bool = False
    """Keep the tensors in the autograd graph, for a loss on what was seen; else detached."""
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
class Silence:
    """Takes heads away: their term is missing from the sum that W^O makes."""

    heads: frozenset[tuple[Site, int]]

    @classmethod
    def of(cls, heads: Iterable[tuple[Site, int]]) -> Self:
        """Silence each (site, head)."""
        return cls(frozenset(heads))

    def sees(self, site: Site) -> bool:
        """The sites with a silenced head."""
        return any(site == silenced for silenced, _ in self.heads)

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Put zeros in the place of a silenced head's mixed values."""
        if step is not Step.MIXED:
            return tensor
        audible_H = torch.ones(tensor.shape[1], dtype=torch.bool, device=tensor.device)
        audible_H[[head for silenced, head in self.heads if silenced == site]] = False
        return tensor * audible_H[:, None, None]


@dataclass(frozen=True)
class Override:
    """Puts given weights in the place of one row of one head."""

    site: Site
    head: int
    query: int
    weights_K: Tensor

    def sees(self, site: Site) -> bool:
        """The one site."""
        return site == self.site

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace the row, in every sentence of the batch."""
        if step is not Step.WEIGHTS:
            return tensor
        weights_BHQK = tensor.clone()
        weights_BHQK[:, self.head, self.query] = self.weights_K
        return weights_BHQK


@dataclass(frozen=True)
class Patch:
    """Puts what heads mixed in another forward pass in the place of what they mix in this one."""

    mixed: Mapping[tuple[Site, int], Tensor]
    """(site, head) → mixed_BQE from a `Record` of `Step.MIXED`."""

    def sees(self, site: Site) -> bool:
        """The sites with a patched head."""
        return any(site == patched for patched, _ in self.mixed)

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace the mixed values of the patched heads."""
        if step is not Step.MIXED:
            return tensor
        mixed_BHQE = tensor.clone()
        for (patched, head), mixed_BQE in self.mixed.items():
            if patched == site:
                mixed_BHQE[:, head] = mixed_BQE
        return mixed_BHQE


@dataclass(frozen=True)
class Remask:
    """Puts other masks in the place of the model's."""

    visible: Mapping[str, Tensor]
    """Kind of attention (`decoder.self`) → visible_BQK, True where a query may look at a key;
    dimensions of size 1 broadcast."""

    def sees(self, site: Site) -> bool:
        """The sites of the given kinds of attention."""
        return site.attention in self.visible

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace the mask."""
        return self.visible[site.attention] if step is Step.VISIBLE else tensor


@dataclass(frozen=True)
class Rescale:
    """Multiplies all scores; a factor of √d_k takes the paper's scaling away."""

    factor: float

    def sees(self, site: Site) -> bool:
        """All attention."""
        return site.kind in ("self", "cross")

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Multiply the scores before the mask."""
        return tensor * self.factor if step is Step.SCORES else tensor


@dataclass(frozen=True)
class Unplace:
    """Takes the positions away: what is left of a sentence is a bag of words."""

    def sees(self, site: Site) -> bool:
        """Both embeddings."""
        return site.kind == "embedding"

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Add zeros in the place of positions."""
        return torch.zeros_like(tensor) if step is Step.POSITIONS else tensor
