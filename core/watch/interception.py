"""What sees each attention of a running model, and hands back what the changes make of it.

`torch.overrides.TorchFunctionMode` sees every call of a torch function while it is active. Three
ways to attend are known: the fused kernel; `nn.MultiheadAttention`, which calls it; and a softmax
whose result is multiplied with values.

B batch, H heads, Q queries, K keys, E width of one head.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import FunctionType
from typing import Any, Self, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from .changes import Change
from .follower import HIDDEN, Follower, Function, Product, Softmax
from .records import Call
from .seen import Seen
from .tokens import Pass, n_sequences_among


@dataclass(frozen=True)
class Scores:
    """The arguments of `torch.nn.functional.scaled_dot_product_attention` that its weights need."""

    query_BHQE: Tensor
    key_BHKE: Tensor
    """Possibly with fewer heads, each of which serves several heads of the queries."""
    mask: Tensor | None
    """True where a query may look, or what is added to the scores; broadcasts to BHQK."""
    is_causal: bool
    scale: float | None
    """None for 1/√E."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(B, H, Q, K)."""
        n_sentences = max(len(self.query_BHQE), len(self.key_BHKE))
        return (n_sentences, *self.query_BHQE.shape[1:-1], self.key_BHKE.shape[-2])

    def are_of_a_whole_text(self) -> bool:
        """Whether queries are not far fewer than keys, as they are where a cache has the others."""
        *_, n_queries, n_keys = self.shape
        return 2 * n_queries >= n_keys

    def weights(self) -> Tensor:
        """Return weights_BHQK in 32 bits at least, also where the model runs in half precision."""
        precise = torch.promote_types(self.query_BHQE.dtype, torch.float32)
        query_BHQE, key_BHKE = self.query_BHQE.to(precise), self.key_BHKE.to(precise)
        scale = 1 / math.sqrt(query_BHQE.shape[-1]) if self.scale is None else self.scale
        with torch.autocast(query_BHQE.device.type, enabled=False):
            scores_BHQK = (query_BHQE * scale) @ self.for_each_head(key_BHKE).transpose(-2, -1)
        if self.is_causal:
            scores_BHQK = scores_BHQK.masked_fill(~self._causal_QK(), -math.inf)
        if self.mask is not None and self.mask.dtype == torch.bool:
            scores_BHQK = scores_BHQK.masked_fill(~self.mask, -math.inf)
        elif self.mask is not None:
            scores_BHQK = scores_BHQK + self.mask
        # A query that may look at nothing gets zeros, as from the kernels.
        return scores_BHQK.softmax(-1).nan_to_num()

    def for_each_head(self, tensor_BHKE: Tensor) -> Tensor:
        """Return keys or values, repeated where several heads of the queries share them."""
        n_shared = self.query_BHQE.shape[1] // tensor_BHKE.shape[1]
        return tensor_BHKE.repeat_interleave(n_shared, dim=1) if n_shared > 1 else tensor_BHKE

    def detached(self) -> Self:
        """Return the same scores without the graph of their gradients."""
        mask = None if self.mask is None else self.mask.detach()
        query_BHQE, key_BHKE = self.query_BHQE.detach(), self.key_BHKE.detach()
        return replace(self, query_BHQE=query_BHQE, key_BHKE=key_BHKE, mask=mask)

    def visible(self) -> Tensor:
        """Return visible_BHQK, True where the mask lets a query look at a key."""
        visible = torch.ones((1, 1), dtype=torch.bool, device=self.query_BHQE.device)
        if self.is_causal:
            visible = visible & self._causal_QK()
        if self.mask is not None:
            visible = visible & (self.mask if self.mask.dtype == torch.bool else self.mask > HIDDEN)
        return visible.expand(self.shape)

    def _causal_QK(self) -> Tensor:
        device = self.query_BHQE.device
        return torch.ones(self.shape[-2:], dtype=torch.bool, device=device).tril()


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
