"""The passes of a model that a check compares, and what was seen in them.

R texts of a pass, Q queries, K keys, L positions of a sequence.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from ..messages import Message
from ..watch import watch
from .inputs import Inputs
from .report import Fault, Kind
from .trace import Base, Difference, Expected, Trace, Window


class Passes:
    """Runs a model on variations of one text."""

    def __init__(self, model: nn.Module, inputs: Inputs) -> None:
        self.model, self.inputs = model, inputs
        one, other = inputs.repeated(2), _shorter(inputs).repeated(3)
        sizes = {side: (size, other.sizes[side]) for side, size in one.sizes.items()}
        self.trace = Trace(model, partial(one, model), partial(other, model), sizes)
        self.seen = watch(model)
        """The attentions of the last pass without dropout."""

    def recorded(self, inputs: Inputs) -> Base:
        """Return what the modules get and give for the first text of a batch."""
        with self._watched():
            return self.trace.recorded(partial(inputs, self.model), inputs.sizes)

    def differences(
        self, run: Callable[[], object], base: Base, expected: Expected
    ) -> list[Difference]:
        """Return the modules at fault in a pass that must be like another."""
        with self._watched():
            return self.trace.differences(run, base, expected)

    def random(self) -> list[Difference]:
        """Return the modules that are random, dropout included."""
        run = partial(self.inputs, self.model)
        base = self.trace.recorded(run, self.inputs.sizes)
        return self.trace.differences(run, base, all_of(self.inputs))

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


def _shorter(inputs: Inputs) -> Inputs:
    for less, (side, length) in enumerate(inputs.lengths.items(), start=1):
        inputs = inputs.cut(side, 0, length - less)
    return inputs
