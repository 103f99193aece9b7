"""What each attention of a pass lets its queries see, and what its weights sum to.

Three ways to attend are known: the fused kernel, `nn.MultiheadAttention`, and a softmax whose
result is multiplied with values.

B batch, H heads, Q queries, K keys.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

HIDDEN = -5e3
"""Scores and masks below this hide a key: masks add −∞, the smallest float, −1e9 or −1e4."""
_FUSED = functional.scaled_dot_product_attention
_MULTI_HEAD = functional.multi_head_attention_forward
_SOFTMAX = (functional.softmax, torch.softmax, Tensor.softmax)
_PRODUCT = (torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.bmm, Tensor.bmm)
_DROPOUT = (functional.dropout, torch.dropout)
_KNOWN = frozenset([_FUSED, _MULTI_HEAD, torch.einsum, *_SOFTMAX, *_PRODUCT, *_DROPOUT])
"""All else is passed on."""


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """One call of an attention."""

    module: str
    visible: Tensor
    """True where a query may look at a key: QK, BHQK, or with B and H as one axis."""
    sums: Tensor | None
    """Sums of the weights over keys; None where a kernel of PyTorch computes them."""

    def visible_HQK(self, n_texts: int) -> Tensor:
        """Return what the first text's queries may look at."""
        return _of_first_text(self.visible, n_texts, 2)

    def sums_HQ(self, n_texts: int) -> Tensor | None:
        """Return the sums of the first text's weights."""
        return None if self.sums is None else _of_first_text(self.sums, n_texts, 1)


def _of_first_text(x: Tensor, n_texts: int, n_axes: int) -> Tensor:
    """Return the first text's part of a tensor: its heads, then the last axes."""
    if x.dim() == n_axes:
        return x[None]
    if x.dim() == n_axes + 2:
        return x[0]
    x = x.flatten(0, -n_axes - 1)
    return x[: max(1, len(x) // n_texts)]


class Attentions(TorchFunctionMode):
    """Notes each attention of a pass, in the order in which they are computed.

    While it is active, there is no dropout.
    """

    def __init__(self, module: Callable[[], str]) -> None:
        """Note nothing yet.

        Args:
            module: Returns the name of the module that runs.
        """
        super().__init__()
        self.found: list[Attention] = []
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
        """Note what attends, and let the function do its work."""
        if func not in _KNOWN:
            return func(*args, **(kwargs or {}))
        named = dict(kwargs or {})
        if func in _DROPOUT:
            return args[0] if args else named["input"]
        if func is _FUSED:
            return self._fused(*args, **named)
        if func is _MULTI_HEAD:
            return self._multi_head(*args, **named)
        if func in _SOFTMAX:
            scores = args[0] if args else named["input"]
            if scores.dim() >= 3:
                self._scores = scores
        elif self._scores is not None:
            self._product(func, args)
        return func(*args, **named)

    def _product(self, func: Callable[..., Any], args: Sequence[Any]) -> None:
        """Note the weights that are multiplied with values: those that come from the softmax."""
        assert self._scores is not None
        operands = args[1:] if func is torch.einsum else args
        weights, scores = operands[0], self._scores
        if weights.numel() != scores.numel() or weights.shape[-2:] != scores.shape[-2:]:
            return
        if func is torch.einsum:
            # Keys are the axis that is summed over, here the last one.
            inputs, _, output = args[0].replace(" ", "").partition("->")
            if inputs.partition(",")[0][-1] in output:
                return
        self._scores = None
        scores = scores.reshape(weights.shape)
        visible = (weights > 0) & (scores.amax(dim=-1, keepdim=True) > HIDDEN)
        self._note(visible, weights.float().sum(dim=-1))

    def _fused(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        _dropout: float = 0.0,
        is_causal: bool = False,
        **named: Any,  # noqa: ANN401
    ) -> Tensor:
        """Note the mask of the fused kernel."""
        visible = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device)
        visible = visible.tril() if is_causal else visible
        if attn_mask is not None:
            visible = visible & _visible(attn_mask)
        self._note(visible)
        named.pop("dropout_p", None)
        return _FUSED(query, key, value, attn_mask, 0.0, is_causal, **named)

    def _multi_head(
        self,
        query: Tensor,
        key: Tensor,
        *args: Any,  # noqa: ANN401
        **named: Any,  # noqa: ANN401
    ) -> object:
        """Note the masks of `nn.MultiheadAttention`, which are True or −∞ where a key is hidden."""
        visible = torch.ones(len(query), len(key), dtype=torch.bool, device=query.device)
        padding_BK, mask = named.get("key_padding_mask"), named.get("attn_mask")
        if mask is not None:
            visible = visible & _visible(mask, hides=True)
        if visible.dim() == 3:
            visible = visible.unflatten(0, (query.shape[1], -1))
        if padding_BK is not None:
            visible = visible & _visible(padding_BK, hides=True)[:, None, None]
        self._note(visible)
        without_dropout = {**named, "training": False}
        return _MULTI_HEAD(query, key, *args, **without_dropout)

    def _note(self, visible: Tensor, sums: Tensor | None = None) -> None:
        self.found.append(Attention(self._module(), visible, sums))


def _visible(mask: Tensor, *, hides: bool = False) -> Tensor:
    """Return True where a mask lets a query look: a number is added to the scores.

    Args:
        mask: The mask.
        hides: Whether True hides a key.
    """
    if mask.dtype != torch.bool:
        return mask > HIDDEN
    return ~mask if hides else mask
