"""What was seen at a module that attends: one record for each call, joined where a cache grows.

B batch, H heads, Q queries, K keys, E width of one head, T tokens of a sequence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

from torch import Tensor

from .tokens import Pass, Text, columns_of, rows_of

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
        return self.of_pass.first

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


@dataclass(eq=False)
class Seen:
    """What was seen at one module.

    Attributes:
        name: The module's name in the model.
        passes: All passes of the watched model, those without this module too.
        written: Writes tokens as texts.
        calls: Every call, the first one first.
    """

    name: str
    passes: Sequence[Pass]
    written: Text
    calls: list[Call] = field(default_factory=list)

    def maps(self) -> list[Call]:
        """Return the calls of the last pass, each with the rows that `generate` made before it.

        A module that layers share is called several times in a pass; others have one map.
        """
        by_pass = [list(calls) for _, calls in groupby(self.calls, lambda call: call.of_pass)]
        starts = [i for i, calls in enumerate(by_pass) if calls[0].first == 0]
        return [joined(calls) for calls in zip(*by_pass[starts[-1] if starts else 0 :])]

    @property
    def weights(self) -> Tensor:
        """weights_BHQK of the last map."""
        return self.maps()[-1].weights_BHQK

    @property
    def visible(self) -> Tensor:
        """visible_BHQK of the last map: True where the mask lets a query look at a key."""
        return self.maps()[-1].visible_BHQK

    @property
    def mixed_BHQE(self) -> Tensor:
        """The weighted mean of the values, per head, before the output projection."""
        return self.maps()[-1].mixed_BHQE

    def rows(self, batch: int = 0) -> list[str]:
        """Return one text for each query: its token, or its position where tokens are unknown."""
        call = self.maps()[-1]
        return self._texts(rows_of(call, self.passes), call, 2, batch)

    def columns(self, batch: int = 0) -> list[str]:
        """Return one text for each key: its token, or its position where tokens are unknown."""
        call = self.maps()[-1]
        return self._texts(columns_of(call, self.passes), call, 3, batch)

    def _texts(self, ids_BT: Tensor | None, call: Call, axis: int, batch: int) -> list[str]:
        n_sentences, length = call.weights_BHQK.shape[0], call.weights_BHQK.shape[axis]
        if ids_BT is None:
            return [str(position) for position in range(length)]
        # Beams, and the windows of an image, are several sentences of attention for one of tokens.
        return self.written(ids_BT[batch * len(ids_BT) // n_sentences])
