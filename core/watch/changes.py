"""What can be changed in the attention of a watched model: at a module's name, in its heads.

A change is handed the weights of each call of its module and the mixed values (the weighted mean
of the values, per head, before the output projection), and returns those to go on with.
"""

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from .seen import Seen


class Change(Protocol):
    """What replaces the weights or the mixed values of one module."""

    @property
    def module(self) -> str:
        """Name of the attention module, as the model's own `named_modules` has it."""
        ...

    def weights(self, weights_BHQK: Tensor, first: int) -> Tensor:
        """Return the weights to mix the values by.

        Args:
            weights_BHQK: What the model computed.
            first: Position of the first query: those before it are in the cache.
        """
        ...

    def mixed(self, mixed_BHQE: Tensor, first: int) -> Tensor:
        """Return the mixed values to go on with.

        Args:
            mixed_BHQE: The weighted mean of the values.
            first: Position of the first query.
        """
        ...


@dataclass(frozen=True)
class _HeadChange:
    module: str
    head: int

    def _head_of(self, one_BHQX: Tensor) -> int:
        """Return the head.

        Raises:
            IndexError: The module has no such head.
        """
        n_heads = one_BHQX.shape[1]
        if self.head not in range(n_heads):
            raise IndexError(f"{self.module!r} has the heads 0 to {n_heads - 1}, not {self.head}.")
        return self.head

    def weights(self, weights_BHQK: Tensor, first: int) -> Tensor:
        return weights_BHQK

    def mixed(self, mixed_BHQE: Tensor, first: int) -> Tensor:
        return mixed_BHQE


@dataclass(frozen=True)
class Silence(_HeadChange):
    """Removes a head: the output projection gets zeros in its place."""

    def mixed(self, mixed_BHQE: Tensor, first: int) -> Tensor:
        """Replace the head's mixed values by zeros."""
        mixed_BHQE = mixed_BHQE.clone()
        mixed_BHQE[:, self._head_of(mixed_BHQE)] = 0.0
        return mixed_BHQE


@dataclass(frozen=True)
class Override(_HeadChange):
    """Replaces one row of a head's weights, in every sentence of the batch."""

    query: int
    """Position of the query in the whole sequence."""
    weights_K: Tensor
    """Padded with 0, or cut, to the number of keys."""

    def weights(self, weights_BHQK: Tensor, first: int) -> Tensor:
        """Replace the row, if it is one of those computed."""
        row, n_keys = self.query - first, weights_BHQK.shape[3]
        if row not in range(weights_BHQK.shape[2]):
            return weights_BHQK
        weights_BHQK = weights_BHQK.clone()
        row_BK = weights_BHQK[:, self._head_of(weights_BHQK), row]
        row_BK[:] = 0.0
        row_BK[:, : len(self.weights_K)] = self.weights_K[:n_keys].to(row_BK)
        return weights_BHQK


@dataclass(frozen=True)
class Patch(_HeadChange):
    """Replaces a head's mixed values by those of another pass, position by position.

    Positions that only one of the two passes has stay as they are.
    """

    source: Seen
    """The same module in the other pass: `other_seen[module]`."""

    def mixed(self, mixed_BHQE: Tensor, first: int) -> Tensor:
        """Replace the head's mixed values at the positions that both passes have."""
        mixed_BHQE = mixed_BHQE.clone()
        head = self._head_of(mixed_BHQE)
        source_BQE = self.source.mixed_BHQE[:, head, first:][:, : mixed_BHQE.shape[2]]
        mixed_BHQE[:, head, : source_BQE.shape[1]] = source_BQE.to(mixed_BHQE)
        return mixed_BHQE
