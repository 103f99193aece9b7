"""Where in a running model an attention is computed, and which changes are made there."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from torch import Tensor, nn

from .changes import Change
from .records import Call
from .seen import Seen
from .tokens import Pass, n_sequences_among

_HEADS = ("num_heads", "n_heads", "num_attention_heads", "n_head")
"""What modules call their number of heads."""


@dataclass(frozen=True)
class Frame:
    """A module while it runs, and what it was called with."""

    name: str
    module: nn.Module
    args: Sequence[object]
    kwargs: Mapping[str, object]

    def arguments(self) -> dict[str, object]:
        """Return what it was called with under the names of its parameters, in their order."""
        parameters = _parameters(type(self.module).forward)
        named = {**dict(zip(parameters, self.args, strict=False)), **self.kwargs}
        return {name: named.pop(name) for name in parameters if name in named} | named


@cache
def _parameters(forward: Callable[..., object]) -> tuple[str, ...]:
    _, *names = inspect.signature(forward).parameters
    return tuple(names)


@dataclass(frozen=True)
class Place:
    """One attention, in the innermost of the modules that run."""

    seen: Seen
    of_pass: Pass
    frames: Sequence[Frame]
    changes: Sequence[Change]
    n_queries: int
    n_keys: int

    def crosses(self) -> bool:
        """Say whether keys are those of another sequence than queries.

        A module that gets queries, keys and values already projected does not show it: the one
        around it does.
        """
        if self.n_queries != self.n_keys and not self.of_pass.has_cache:
            return True
        given = (n_sequences_among(frame.arguments()) for frame in reversed(self.frames))
        return next((n for n in given if n in (1, 2)), 1) == 2

    def n_heads(self, n: int) -> int:
        """Return the number of heads where an axis of size n holds sentences and heads."""
        for frame in self.frames[:-3:-1]:
            for name in _HEADS:
                n_heads = getattr(frame.module, name, None)
                if isinstance(n_heads, int) and n_heads and n % n_heads == 0:
                    return n_heads
        return 1

    def weights(self, weights_BHQK: Tensor) -> Tensor:
        """Return the weights after all changes."""
        for change in self.changes:
            weights_BHQK = change.weights(weights_BHQK, int(self.of_pass.first))
        return weights_BHQK

    def mixed(self, mixed_BHQE: Tensor) -> Tensor:
        """Return the mixed values after all changes."""
        for change in self.changes:
            mixed_BHQE = change.mixed(mixed_BHQE, int(self.of_pass.first))
        return mixed_BHQE

    def record(
        self,
        weights: Tensor | Callable[[], Tensor],
        visible: Tensor | Callable[[], Tensor],
        mixed_BHQE: Tensor,
    ) -> None:
        """Keep what was computed; see `Call`."""
        within = tuple(frame.name for frame in self.frames)
        call = Call(self.of_pass, within, self.crosses(), weights, visible, mixed_BHQE)
        self.seen.calls.append(call)
