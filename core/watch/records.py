"""One call of an attention, and several as one where a cache grows.

B batch, H heads, Q queries, K keys, E width of one head.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from torch import Tensor

from .tokens import Pass


@dataclass(frozen=True, eq=False)
class Call:
    """One call of an attention: what its heads looked at, and what they read there.

    Attributes:
        of_pass: The forward pass that it belongs to.
        within: Names of the modules that it was made in, from the outermost to the attention.
        crosses: Whether keys are those of another sequence than queries.
        weights: weights_BHQK, or what computes them when they are asked for.
        visible: visible_BHQK or what computes it: True where the mask lets a query look at a key.
        mixed_BHQE: The weighted mean of the values, per head.
    """

    of_pass: Pass
    within: tuple[str, ...]
    crosses: bool
    weights: Tensor | Callable[[], Tensor]
    visible: Tensor | Callable[[], Tensor]
    mixed_BHQE: Tensor

    @cached_property
    def weights_BHQK(self) -> Tensor:
        """The weights, on the model's device; in 32 bits where a fused kernel hid them."""
        return self.weights() if callable(self.weights) else self.weights

    @cached_property
    def visible_BHQK(self) -> Tensor:
        """True where the mask lets a query look at a key."""
        return self.visible() if callable(self.visible) else self.visible

    @property
    def first(self) -> int:
        """Position of the first query."""
        return int(self.of_pass.first)

    @property
    def n_queries(self) -> int:
        """Number of rows."""
        return self.mixed_BHQE.shape[2]

    @property
    def n_keys(self) -> int:
        """Number of columns."""
        return self.weights_BHQK.shape[3]

    @property
    def is_causal(self) -> bool:
        """Whether the first query cannot look at the last key."""
        return not self.crosses and not bool(self.visible_BHQK[:, :, 0, -1].any())


def joined(calls: Sequence[Call]) -> Call:
    """Return the calls of one generation with a cache as a single call with all of their rows.

    In self-attention the keys of a call end at its last query, whether the cache has all of them or
    those of a sliding window. A cache of fixed size has more: they are cut.
    """
    if len(calls) == 1 and calls[0].n_keys == _n_keys(calls):
        return calls[0]
    last, begin = calls[-1], calls[0].first
    n_rows = max(call.first + call.n_queries for call in calls) - begin
    shape = (*last.weights_BHQK.shape[:2], n_rows, _n_keys(calls))
    weights_BHQK = last.weights_BHQK.new_zeros(shape)
    visible_BHQK = last.visible_BHQK.new_zeros(shape)
    mixed_BHQE = last.mixed_BHQE.new_zeros((*shape[:3], last.mixed_BHQE.shape[3]))
    for call in calls:
        n_queries, n_keys = call.weights_BHQK.shape[2:]
        row = call.first - begin
        rows = slice(row, row + n_queries)
        column = 0 if call.crosses else max(0, call.first + n_queries - n_keys)
        columns = slice(column, column + n_keys)
        weights_BHQK[:, :, rows, columns] = call.weights_BHQK[..., : shape[3] - column]
        visible_BHQK[:, :, rows, columns] = call.visible_BHQK[..., : shape[3] - column]
        mixed_BHQE[:, :, rows] = call.mixed_BHQE
    return replace(last, weights=weights_BHQK, visible=visible_BHQK, mixed_BHQE=mixed_BHQE)


def _n_keys(calls: Sequence[Call]) -> int:
    """Return how many keys the joined calls have."""
    n_keys = max(call.n_keys for call in calls)
    if calls[-1].crosses:
        return n_keys
    n_tokens = max(call.first + call.n_queries for call in calls)
    return n_tokens if n_tokens > calls[-1].n_queries else n_keys
