"""A pass without dropout, in which the weights of each attention are summed.

B batch, H heads, Q queries, K keys.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

_FUSED = functional.scaled_dot_product_attention
_MULTI_HEAD = functional.multi_head_attention_forward
_SOFTMAX = (functional.softmax, torch.softmax, Tensor.softmax)
_PRODUCT = (torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.bmm, Tensor.bmm)
_DROPOUT = (functional.dropout, torch.dropout)
_KNOWN = frozenset([_FUSED, _MULTI_HEAD, torch.einsum, *_SOFTMAX, *_PRODUCT, *_DROPOUT])
"""All else is passed on."""


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """The weights of one attention, summed over keys."""

    module: str
    sums: Tensor
    """sums_BHQ, or with B and H as one axis."""

    def sums_HQ(self, n_texts: int) -> Tensor:
        """Return those of the first text."""
        sums_NQ = self.sums.flatten(0, -2)
        return sums_NQ[: max(1, len(sums_NQ) // n_texts)]


class WithoutDropout(TorchFunctionMode):
    """Leaves out all dropout, and sums the weights that a softmax makes, over whatever axis.

    The kernels of PyTorch make weights that sum to 1.
    """

    def __init__(self, module: Callable[[], str]) -> None:
        """Note nothing yet.

        Args:
            module: Returns the name of the module that runs.
        """
        super().__init__()
        self.found: list[Sums] = []
        self._module = module
        self._scores: Tensor | None = None
        """What the last softmax was taken of."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401
        """Let a function do its work, without dropout."""
        if func not in _KNOWN:
            return func(*args, **(kwargs or {}))
        named = dict(kwargs or {})
        if func in _DROPOUT:
            return args[0] if args else named["input"]
        if func is _FUSED:
            named |= {} if len(args) > 4 else {"dropout_p": 0.0}
            args = (*args[:4], *(0.0 for _ in args[4:5]), *args[5:])
        elif func is _MULTI_HEAD:
            named["training"] = False
        elif func in _SOFTMAX:
            scores = args[0] if args else named["input"]
            if scores.dim() >= 3:
                self._scores = scores
        elif self._scores is not None:
            self._product(func, args)
        return func(*args, **named)

    def _product(self, func: Callable[..., Any], args: Sequence[Any]) -> None:
        """Note the weights that are multiplied with values: those that come from the softmax."""
        assert self._scores is not None
        weights = args[1] if func is torch.einsum else args[0]
        shape = self._scores.shape
        if weights.numel() != shape.numel() or weights.shape[-2:] != shape[-2:]:
            return
        if func is torch.einsum:
            # Keys are the axis that is summed over, here the last one.
            inputs, _, output = args[0].replace(" ", "").partition("->")
            if inputs.partition(",")[0][-1] in output:
                return
        self._scores = None
        self.found.append(Sums(self._module(), weights.float().sum(dim=-1)))
