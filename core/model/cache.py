"""What decoding has computed already, so that each step computes only its own.

B batch, H heads, K key positions, D model width, E width of one head.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

import torch
from torch import Tensor

from core.heads import Site


@dataclass(frozen=True, slots=True)
class KeysValues:
    """What the positions of a memory can be found by, and what they give, in every head."""

    key_BHKE: Tensor
    value_BHKE: Tensor

    def then(self, later: Self) -> Self:
        """Return these positions followed by later ones."""
        return type(self)(
            torch.cat([self.key_BHKE, later.key_BHKE], dim=2),
            torch.cat([self.value_BHKE, later.value_BHKE], dim=2),
        )

    def shared_by(self, n_heads: int) -> Self:
        """Return a set for each head: neighbouring heads share one."""
        times = n_heads // self.key_BHKE.shape[1]
        if times == 1:
            return self
        both = (self.key_BHKE, self.value_BHKE)
        return type(self)(*(each.repeat_interleave(times, dim=1) for each in both))

    def rows(self, index_B: Tensor) -> Self:
        """Return some sentences of the batch, in the order of the index."""
        return type(self)(self.key_BHKE[index_B], self.value_BHKE[index_B])


@dataclass
class Cache:
    """Belongs to one decoding, never to the model; grows with every call of `decode`."""

    length: int = 0
    """Target positions that are kept."""
    kept: dict[Site, KeysValues] = field(default_factory=dict)
    """Of attention."""
    states: dict[Site, Tensor] = field(default_factory=dict)
    """state_BD of recurrent units after these positions."""

    def grown(self, site: Site, new: KeysValues) -> KeysValues:
        """Append a self-attention's new positions, and return all of them."""
        if site in self.kept:
            new = self.kept[site].then(new)
        self.kept[site] = new
        return new

    def once(self, site: Site, compute: Callable[[], KeysValues]) -> KeysValues:
        """Return a cross-attention's memory, computed at the first call."""
        if site not in self.kept:
            self.kept[site] = compute()
        return self.kept[site]

    def rows(self, index_B: Tensor) -> "Cache":
        """Return the cache of some sentences of the batch, in the order of the index."""
        return Cache(
            self.length,
            {site: kept.rows(index_B) for site, kept in self.kept.items()},
            {site: state_BD[index_B] for site, state_BD in self.states.items()},
        )
