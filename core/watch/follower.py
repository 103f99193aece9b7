"""What follows the attentions of a running model, and the modules that run.

`torch.overrides.TorchFunctionMode` sees every call of a torch function while it is active. A
softmax is followed through what changes it up to its product with values: that is an attention.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

Function = Callable[..., Any]
Product = Callable[[Tensor, Tensor], Tensor]
"""Multiplies weights with values."""
HIDDEN = -5e3
"""Scores and masks below this hide a key: masks add −∞, the smallest float, −1e9 or −1e4."""
PRODUCTS = ("matmul", "bmm")
_FLOATS = ("to", "type", "type_as", "float", "half", "bfloat16")
_KEEPING = frozenset(("dropout", "view", "reshape", "contiguous", *_FLOATS))
"""Functions that leave the meaning of weights as it is."""
_ALTERING = frozenset(("__getitem__", "masked_fill", "nan_to_num", "mul", "div"))
"""Functions that cut keys off weights, hide some keys, or scale the weights."""


@dataclass(frozen=True)
class Softmax:
    """A softmax that may become the weights of an attention."""

    tensor: Tensor
    """What the model goes on with: in another shape or precision, after dropout."""
    weights: Tensor
    """The softmax itself."""
    scores: Tensor


class Follower(TorchFunctionMode, ABC):
    """Follows each attention that is computed while it is active."""

    def __init__(self) -> None:
        super().__init__()
        self.softmaxes: dict[int, Softmax] = {}
        """Those that have not been multiplied with values yet."""
        softmaxes = (functional.softmax, torch.softmax, Tensor.softmax)
        self.handlers: dict[Function, Function] = dict.fromkeys(softmaxes, self._softmax)

    def __torch_function__(
        self,
        func: Function,
        types: object,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        """Call a torch function, and follow a softmax through it."""
        kwargs = kwargs or {}
        if self.softmaxes:
            for each in args[:2]:
                softmax = self.softmaxes.get(id(each))
                if softmax is not None:
                    return self.follow(softmax, func, args, kwargs)
        handle = self.handlers.get(func)
        return func(*args, **kwargs) if handle is None else handle(func, *args, **kwargs)

    def _softmax(self, func: Function, input: Tensor, *args: object, **kwargs: object) -> Tensor:
        weights = self.weigh(func, input, *args, **kwargs)
        if weights.dim() >= 3:
            self.softmaxes[id(weights)] = Softmax(weights, weights, input)
        return weights

    def weigh(self, func: Function, scores: Tensor, *args: object, **kwargs: object) -> Tensor:
        """Return the softmax of scores."""
        weights: Tensor = func(scores, *args, **kwargs)
        return weights

    def follow(
        self, softmax: Softmax, func: Function, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> object:
        """Call a function of a softmax."""
        name = func.__name__
        if name in PRODUCTS and args[0] is softmax.tensor:
            return self.attend(softmax, [*args, *kwargs.values()][1], func)
        result = func(*args, **kwargs)
        if name in _KEEPING:
            self.softmaxes[id(result)] = replace(softmax, tensor=result)
        elif name in _ALTERING and result.dim() == softmax.tensor.dim():
            self.softmaxes[id(result)] = replace(softmax, tensor=result, weights=result)
        return result

    @abstractmethod
    def attend(self, softmax: Softmax, value: Tensor, product: Product) -> Tensor:
        """Return the product of a softmax with values."""


@contextmanager
def following_modules(
    modules: Mapping[str, nn.Module],
    enter: Callable[[str, nn.Module, Any, Any], None],
    leave: Callable[[str, nn.Module, Any, Any], None],
) -> Iterator[None]:
    """Call functions before and after each call of a module.

    Args:
        modules: Name → module.
        enter: Receives the name, the module, and its arguments without and with names.
        leave: Receives the name, the module, its arguments and its output: None where it failed.
    """
    with ExitStack() as hooks:
        for name, module in modules.items():
            for handle in (
                module.register_forward_pre_hook(partial(enter, name), with_kwargs=True),
                module.register_forward_hook(partial(leave, name), always_call=True),
            ):
                hooks.callback(handle.remove)
        yield
