"""Keys and values that decoding has computed already, so that each step computes only its own.

B batch, K key positions.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor

from core.heads import Site
from core.model.attention import KeysValues


@dataclass
class Cache:
    """Belongs to one decoding, never to the model; grows with every call of `decode`."""

    length: int = 0
    """Target positions that are kept."""
    kept: dict[Site, KeysValues] = field(default_factory=dict)

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
        return Cache(self.length, {site: kept.rows(index_B) for site, kept in self.kept.items()})
