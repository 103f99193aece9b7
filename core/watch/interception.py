"""What sees each attention of a running model, and hands back what the changes make of it.

`torch.overrides.TorchFunctionMode` sees every call of a torch function while it is active. Three
ways to attend are known: the fused kernel; `nn.MultiheadAttention`, which calls it; and a softmax
whose result is multiplied with values.

B batch, H heads, Q queries, K keys, E width of one head.
"""

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.nn import functional

from .follower import HIDDEN, Follower, Function, Product, Softmax
from .place import Place
from .scores import Scores

MaybeTensor = TypeVar("MaybeTensor", Tensor, Tensor | None)

# The mode is off while it handles a call. This is the function's own code without its question
# whether a mode handles it, so that it can run under the mode, which sees the attention inside.
_multi_head_attention = FunctionType(
    functional.multi_head_attention_forward.__code__,
    {**vars(functional), "has_torch_function": lambda _tensors: False},
    argdefs=functional.multi_head_attention_forward.__defaults__,
)


class Interception(Follower):
    """Records and changes each attention of one pass."""

    def __init__(self, attending: Callable[[int, int], Place]) -> None:
        """Prepare to intercept.

        Args:
            attending: Returns where the model is, given the numbers of queries and keys.
        """
        super().__init__()
        self._attending = attending
        self._packed: dict[int, tuple[Tensor, Any]] = {}
        self.handlers |= {
            functional.scaled_dot_product_attention: self._fused,
            functional.multi_head_attention_forward: self._multi_head,
            Tensor.reshape: self._reshape,
        }

    def _multi_head(self, _func: Function, *args: object, **kwargs: object) -> object:
        with self:
            return _multi_head_attention(*args, **kwargs)

    def _fused(  # noqa: PLR0913
        self,
        func: Function,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Tensor:
        """Attend in the fused kernel; where something is changed, step by step."""
        arguments = (query, key, value, attn_mask, dropout_p, is_causal)
        shape = (-1, *query.shape[1:-1], value.shape[-1])
        query, mask = self._unpacked(query), self._unpacked(attn_mask)
        place = self._attending(query.shape[-2], key.shape[-2])
        if mask is not None and query.dim() != 4:
            mask = _four_axes(mask.expand(*query.shape[:-1], key.shape[-2]), place)
        query_BHQE, key_BHKE = _four_axes(query, place), _four_axes(key, place)
        scores = Scores(query_BHQE, key_BHKE, mask, is_causal, scale)
        if place.changes:
            weights_BHQK = place.weights(scores.weights())
            dropped_BHQK = functional.dropout(weights_BHQK.to(value.dtype), dropout_p)
            value_BHKE = scores.for_each_head(_four_axes(value, place))
            mixed_BHQE = place.mixed(dropped_BHQK @ value_BHKE)
            place.record(weights_BHQK.detach(), scores.visible, mixed_BHQE.detach())
            return mixed_BHQE.reshape(shape)
        result = func(*arguments, scale=scale, enable_gqa=enable_gqa)
        scores = scores.detached()
        # Whole texts wait until they are shown. A step of a generation would keep all keys for it.
        weights = scores.weights if scores.are_of_a_whole_text() else scores.weights()
        place.record(weights, scores.visible, result.detach().reshape(*scores.shape[:3], -1))
        return result

    def _reshape(self, func: Function, input: Tensor, *args: object, **kwargs: object) -> Tensor:
        """Remember what was packed: the heads that share keys, as rows of a single query."""
        result: Tensor = func(input, *args, **kwargs)
        if input.dim() == result.dim() == 4 and input.shape[2] == 1 != result.shape[2]:
            self._packed[id(result)] = (result, input)
        return result

    def _unpacked(self, tensor: MaybeTensor) -> MaybeTensor:
        _, unpacked = self._packed.get(id(tensor), (tensor, tensor))
        return unpacked

    def follow(
        self, softmax: Softmax, func: Function, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> object:
        """Take an einsum of a softmax and values for an attention, however it is written."""
        order = []
        if func is torch.einsum and args[1] is softmax.tensor:
            order = _order_of_product(args[0], softmax.tensor.dim())
        if not order:
            return super().follow(softmax, func, args, kwargs)
        result = self.attend(softmax, args[2], lambda *both: func(args[0], *both).permute(order))
        return result.permute([order.index(axis) for axis in range(len(order))])

    def attend(self, softmax: Softmax, value: Tensor, product: Product) -> Tensor:
        """Return the product with the values, of the weights after all changes."""
        tensor, scores = softmax.tensor, softmax.scores
        result = product(tensor, value)
        if result.shape[:-1] != tensor.shape[:-1]:
            return result
        others = self.softmaxes.items()
        self.softmaxes = {key: each for key, each in others if each.scores is not scores}
        place = self._attending(*tensor.shape[-2:])
        computed_BHQK = _four_axes(softmax.weights, place)
        weights_BHQK = place.weights(computed_BHQK)
        if weights_BHQK is not computed_BHQK:
            result = product(weights_BHQK.reshape(tensor.shape).to(tensor.dtype), value)
        computed_BHQE = result.reshape(*weights_BHQK.shape[:3], -1)
        mixed_BHQE = place.mixed(computed_BHQE)
        if mixed_BHQE is not computed_BHQE:
            result = mixed_BHQE.reshape(result.shape)
        visible_BHQK = _four_axes(scores[..., : tensor.shape[-1]] > HIDDEN, place)
        place.record(weights_BHQK.detach(), visible_BHQK, mixed_BHQE.detach())
        return result


def _four_axes(tensor: Tensor, place: Place) -> Tensor:
    """Return a tensor with axes for the batch and the heads, whatever it has before its last two.

    Blocks of a sequence, or windows of an image, are sentences of the batch.
    """
    if tensor.dim() > 4:
        return tensor.flatten(0, -4)
    if tensor.dim() == 4:
        return tensor
    n = tensor.shape[0] if tensor.dim() == 3 else 1
    return tensor.reshape(-1, place.n_heads(n), *tensor.shape[-2:])


def _order_of_product(equation: str, n_axes: int) -> list[int]:
    """Return where an einsum of weights and values has the axes of the weights, then the width.

    Empty if it is no such product.

    >>> _order_of_product("bhqk, bkhe -> bqhe", 4), _order_of_product("...qk,...ke->...qe", 4)
    ([0, 2, 1, 3], [0, 1, 2, 3])
    >>> _order_of_product("bhqk, bkhe -> bqe", 4), _order_of_product("bhqk -> bqhk", 4)
    ([], [])
    """
    inputs, _, output = equation.replace(" ", "").partition("->")
    weights, _, values = inputs.partition(",")
    others = "ABCDEF"[: n_axes - len(weights.replace("...", ""))]
    rows, output = weights.replace("...", others)[:-1], output.replace("...", others)
    widths = [axis for axis in output if axis not in rows]
    if not values or "," in values or len(widths) != 1 or not set(rows) <= set(output):
        return []
    return [output.index(axis) for axis in (*rows, *widths)]
