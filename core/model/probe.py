"""How to look into a forward pass, and how to change it: one mechanism.

Every attention sublayer has a site (`encoder.2.self`). Without a probe a sublayer runs the fused
kernel and keeps nothing. Where a probe is interested, the sublayer computes its steps one by one,
hands each to the probe, and goes on with what the probe gives back. Recording, silencing,
overriding and patching are four small probes; nothing about them is known to the model.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol, Self, get_args

import torch
from torch import Tensor

Stack = Literal["encoder", "decoder"]
Kind = Literal["self", "cross"]


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """Where in the model an attention sublayer stands.

    >>> str(Site("encoder", 2, "self")), Site.parse("decoder.0.cross").layer
    ('encoder.2.self', 0)
    """

    stack: Stack
    layer: int
    kind: Kind

    def __str__(self) -> str:
        return f"{self.stack}.{self.layer}.{self.kind}"

    @property
    def attention(self) -> str:
        """Which of the three kinds of attention: encoder.self, decoder.self or decoder.cross."""
        return f"{self.stack}.{self.kind}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `stack.layer.kind`.

        Raises:
            ValueError: The text is not a site; the message shows one.
        """
        stack, _, rest = text.partition(".")
        layer, _, kind = rest.partition(".")
        known = stack in get_args(Stack) and kind in get_args(Kind)
        if not known or not layer.isdecimal() or (stack, kind) == ("encoder", "cross"):
            raise ValueError(f"{text!r} is not a site such as encoder.1.self or decoder.0.cross")
        return cls(stack, int(layer), kind)  # type: ignore[arg-type]


class Step(StrEnum):
    """The steps of an attention sublayer, in order, with their shapes."""

    VISIBLE = "visible"
    """visible_BQK, True where a query may look; broadcast over heads."""
    QUERY = "query"
    """query_BHQE"""
    KEY = "key"
    """key_BHKE"""
    VALUE = "value"
    """value_BHKE"""
    SCORES = "scores"
    """scores_BHQK, already divided by √d_k"""
    MASKED_SCORES = "masked_scores"
    """scores_BHQK with −∞ where a query may not look"""
    WEIGHTS = "weights"
    """weights_BHQK; a row sums to 1, or is all zeros when it may see nothing"""
    MIXED = "mixed"
    """mixed_BHQE, the weighted mean of the values, per head, before W^O"""


class Probe(Protocol):
    """What the model asks of whoever looks or changes."""

    def sees(self, site: Site) -> bool:
        """Say whether the sublayer must be computed step by step for this probe."""
        ...

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Take one step's tensor and give back the one to go on with."""
        ...


@dataclass(frozen=True)
class Probes:
    """Several probes in a row; each sees what those before it made."""

    probes: Sequence[Probe]

    def sees(self, site: Site) -> bool:
        """Any of them."""
        return any(probe.sees(site) for probe in self.probes)

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Pass the tensor through those that are interested."""
        for probe in self.probes:
            if probe.sees(site):
                tensor = probe.at(site, step, tensor)
        return tensor


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
