"""Cache of previous positions, so that each decoding step computes only its own.

B batch, H heads, K key positions, D model width, E width of one head.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Self

import torch
from torch import Tensor

from ..heads import Site


@dataclass(frozen=True, slots=True)
class KeysValues:
    """Keys and values of a memory's positions in every head."""

    key_BHKE: Tensor
    value_BHKE: Tensor

    def then(self, later: Self) -> Self:
        """Return these positions followed by later ones."""
        return type(self)(
            torch.cat([self.key_BHKE, later.key_BHKE], dim=2),
            torch.cat([self.value_BHKE, later.value_BHKE], dim=2),
        )

    def shared_by(self, n_heads: int) -> Self:
        """Repeat the sets for all heads: neighbouring heads share one."""
        times = n_heads // self.key_BHKE.shape[1]
        if times == 1:
            return self
        both = (self.key_BHKE, self.value_BHKE)
        return type(self)(*(each.repeat_interleave(times, dim=1) for each in both))

    def rows(self, index_B: Tensor) -> Self:
        """Return the sentences of the batch given by an index, in its order."""
        return type(self)(self.key_BHKE[index_B], self.value_BHKE[index_B])


@dataclass
class Cache:
    """Cache of one decoding; grows with every call of `decode`."""

    length: int = 0
    """Number of cached target positions."""
    kept: dict[Site, KeysValues] = field(default_factory=dict)
    """Keys and values of attention sublayers."""
    states: dict[Site, Tensor] = field(default_factory=dict)
    """state_BD of recurrent units after these positions."""
    past: Any = None
    """What the `transformers` library keeps of these positions, where it runs the model."""

    def grown(self, site: Site, new: KeysValues) -> KeysValues:
        """Append a self-attention's new positions, and return all of them."""
        if site in self.kept:
            new = self.kept[site].then(new)
        self.kept[site] = new
        return new

    def once(self, site: Site, compute: Callable[[], KeysValues]) -> KeysValues:
        """Return a cross-attention's keys and values, computed at the first call."""
        if site not in self.kept:
            self.kept[site] = compute()
        return self.kept[site]

    def rows(self, index_B: Tensor) -> "Cache":
        """Return the cache of the sentences given by an index, in its order."""
        past = deepcopy(self.past)
        if past is not None:
            past.reorder_cache(index_B)
        return Cache(
            self.length,
            {site: kept.rows(index_B) for site, kept in self.kept.items()},
            {site: state_BD[index_B] for site, state_BD in self.states.items()},
            past,
        )
