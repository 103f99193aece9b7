"""The passes of a model that a check compares, and what was seen in them.

R texts of a pass, Q queries, K keys, L positions of a sequence.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from ..messages import Message
from ..watch import watch
from .inputs import Inputs
from .report import Fault, Kind
from .trace import (
    Difference,
    Expected,
    Hooks,
    Place,
    Window,
    aligned,
    axes_of,
    differences,
    recorded,
    shapes_of,
)

Base = Mapping[Place, Mapping[str, Tensor]]


class Passes:
    """Runs a model on variations of one text."""

    def __init__(self, model: nn.Module, inputs: Inputs) -> None:
        self.model, self.inputs = model, inputs
        self._hooks = Hooks(model)
        both = [inputs.repeated(2), _shorter(inputs).repeated(3)]
        one, other = (shapes_of(self._hooks, partial(each, model)) for each in both)
        lengths = {side: (both[0].lengths[side], both[1].lengths[side]) for side in inputs.lengths}
        self._axes = axes_of(one, other, {"batch": (2, 3), **lengths})
        self.not_a_number: dict[str, int] = {}
        """Module that makes NaN → the first position where it does."""
        self.seen = watch(model)
        """The attentions of the last pass without dropout."""

    def recorded(self, inputs: Inputs) -> Base:
        """Return what the modules get and give for the first text of a batch."""
        with self._watched():
            run = partial(inputs, self.model)
            base = recorded(self._hooks, run, self._axes, inputs.n_texts, inputs.lengths)
        self._note_nan(inputs.n_texts, inputs.lengths)
        return base

    def differences(
        self, run: Callable[[], object], base: Base, expected: Expected
    ) -> list[Difference]:
        """Return the modules at fault in a pass that must be like another."""
        with self._watched():
            found = differences(self._hooks, run, self._axes, base, expected)
        lengths = {side: window.length for side, window in expected.windows.items()}
        self._note_nan(expected.n_texts, lengths)
        return found

    def random(self) -> list[Difference]:
        """Return the modules that are random, dropout included."""
        run, inputs = partial(self.inputs, self.model), self.inputs
        base = recorded(self._hooks, run, self._axes, 1, inputs.lengths)
        return differences(self._hooks, run, self._axes, base, all_of(inputs))

    def fault(
        self,
        kind: Kind,
        module: str,
        position: int,
        text: str,
        visible_QK: NDArray[np.bool_] | None = None,
        **values: object,
    ) -> Fault:
        """Return a fault whose sentence has the module, the position and other values."""
        name = module or type(self.model).__name__
        message = Message(text, module=name, position=position, **values)
        return Fault(kind, name, position, message, visible_QK)

    def visible(self, module: str) -> NDArray[np.bool_] | None:
        """Return what an attention let the first text's queries see in the last pass."""
        within = (name for name in self.seen if f"{name}.".startswith(f"{module}."))
        found = next(within, None) if module else None
        if found is None:
            return None
        visible_HQK = self.seen[found].calls[0].visible_BHQK[0]
        visible_QK: NDArray[np.bool_] = visible_HQK.any(dim=0).cpu().numpy()
        return visible_QK

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Watch the attentions of a pass without dropout."""
        self.seen = watch(self.model)
        with _WithoutDropout(), self.seen:
            yield

    def _note_nan(self, n_texts: int, lengths: Mapping[str, int]) -> None:
        for place, outputs in self._hooks.not_a_number.items():
            for path, is_nan in outputs.items():
                axes = self._axes.get(place, {}).get(path)
                found = aligned(is_nan, axes, n_texts, lengths) if axes else None
                if found is not None:
                    is_nan_L = found[1].flatten(2).any(dim=2).any(dim=0)
                    self.not_a_number.setdefault(place[0], int(is_nan_L.nonzero()[0]))


class _WithoutDropout(TorchFunctionMode):
    """Leaves out dropout that stays on in evaluation mode."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        """Let a function do its work, without dropout."""
        named = dict(kwargs or {})
        if func in (functional.dropout, torch.dropout):
            return args[0] if args else named["input"]
        if func is functional.scaled_dot_product_attention:
            named |= {} if len(args) > 4 else {"dropout_p": 0.0}
            args = (*args[:4], *(0.0 for _ in args[4:5]), *args[5:])
        return func(*args, **named)


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Run a model in evaluation mode, without gradients and without PyTorch's fast path.

    The fast path drops padded positions, and no hook sees what is inside of it.
    """
    was_training = {each: each.training for each in model.modules()}
    fast = torch.backends.mha.get_fastpath_enabled()
    model.eval()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
        for each, training in was_training.items():
            each.training = training


def all_of(inputs: Inputs) -> Expected:
    """Return that everything must come out as in the first pass."""
    n = inputs.n_texts
    windows = {
        side: Window(length, 0, 0, torch.ones(n, length, dtype=torch.bool))
        for side, length in inputs.lengths.items()
    }
    return Expected(n, windows, torch.ones(n, dtype=torch.bool), same_shape=True)


def with_window(expected: Expected, side: str, window: Window) -> Expected:
    """Return the same but for the positions of one side."""
    return replace(expected, windows={**expected.windows, side: window})


def _shorter(inputs: Inputs) -> Inputs:
    for less, (side, length) in enumerate(inputs.lengths.items(), start=1):
        inputs = inputs.cut(side, 0, length - less)
    return inputs
