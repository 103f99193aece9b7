"""What follows a pass of a foreign model, and hands the steps of its sublayers to a probe.

`torch.overrides.TorchFunctionMode` sees every torch function that is called. Two patterns are
followed. An attention is a product of queries and keys, whatever changes it up to a softmax, and a
product of that with values. A sublayer adds to the residual stream: one side of the sum is the
stream, the other is not.

B batch, H heads, Q queries, K keys, E width of one head, D model width.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, Generic, Literal, Self, TypeVar

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ..model.probe import Hook, Step
from ..model.scoring import attention_weights

Function = Callable[..., Any]
Run = Callable[..., Any]
"""The computation of a module, given its unnamed arguments."""
HIDDEN = -9e3
"""A mask adds at most this to a score that it hides: −10000, the least float, or −∞."""
_PRODUCTS = ("matmul", "__matmul__", "bmm", "baddbmm")
_SUMS = ("add", "add_", "__add__", "__radd__", "__iadd__")
_IN_PLACE = ("add_", "__iadd__")
_NORMS = ("layer_norm", "rms_norm")
_VIEWS = ("view", "reshape", "contiguous", "to", "flatten", "clone")


class AttentionCalls:
    """The functions that one attention calls, from the product of its queries and keys on."""

    def __init__(self, hook: Hook, n_sentences: int) -> None:
        """Follow an attention that begins.

        Args:
            hook: Receives its steps.
            n_sentences: B.
        """
        self._hook = hook
        self._n_sentences = n_sentences
        self._scores: Tensor | None = None
        """What has become of the products so far."""
        self._unmasked: Tensor | None = None
        """The same as if nothing were hidden."""
        self._visible: Tensor | None = None
        self._weights: Tensor | None = None
        self.is_done = False
        """Whether the values are mixed."""

    def call(self, func: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call a torch function, with the steps that the probe returns."""
        name = func.__name__
        if name in _PRODUCTS and self._weights is not None and args[0] is self._weights:
            return self._mix(func, *args)
        if name in _PRODUCTS and self._scores is None:
            return self._compare(func, args, kwargs)
        if name == "softmax" and _is_over_keys(args, kwargs):
            return self._weigh(func, args, kwargs)
        if self._weights is not None:
            result = func(*args, **kwargs)
            if args and args[0] is self._weights and isinstance(result, Tensor):
                # Dropout, another precision, or columns that are no keys cut off.
                self._weights = result
            return result
        if self._scores is not None and any(each is self._scores for each in args):
            return self._change(func, args, kwargs)
        return func(*args, **kwargs)

    def _compare(self, func: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Tensor:
        """Multiply queries and keys."""
        named = dict(kwargs)
        operands = [named.pop(name) for name in ("batch1", "batch2", "other") if name in named]
        *before, query, key = (*args, *operands)
        if query.dim() < 3 or key.dim() < 3:
            return func(*args, **kwargs)
        query_BHQE = self._hook(Step.QUERY, self._by_head(query))
        key_BHKE = self._hook(Step.KEY, self._by_head(key.transpose(-2, -1)))
        operands = [query_BHQE.reshape(query.shape), key_BHKE.transpose(-2, -1).reshape(key.shape)]
        self._scores = self._stepped(Step.PRODUCTS, func(*before, *operands, **named))
        self._unmasked = self._scores
        return self._scores

    def _change(self, func: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Change the scores, and tell what hides keys from what changes the scores of all."""
        assert self._unmasked is not None
        # Some are changed in place.
        name, unmasked = func.__name__, self._unmasked.clone()
        [other, *_] = [each for each in args if each is not self._scores] or [None]
        result = func(*args, **kwargs)
        if not isinstance(result, Tensor):
            return result
        if name in ("masked_fill", "masked_fill_"):
            self._hide(other)
        elif name == "where":
            self._hide(args[0] if args[2] is self._scores else ~args[0])
        elif name in _SUMS and isinstance(other, Tensor) and bool((other <= HIDDEN).any()):
            self._hide(other <= HIDDEN)
            unmasked = unmasked + other.masked_fill(other <= HIDDEN, 0.0)
        elif self._visible is None:
            unmasked = result
        else:
            given = [unmasked if each is self._scores else each for each in args]
            unmasked = func(*given, **kwargs)
        self._scores, self._unmasked = result, unmasked
        return result

    def _hide(self, hidden: Tensor) -> None:
        visible = ~hidden.bool()
        self._visible = visible if self._visible is None else self._visible & visible

    def _weigh(self, func: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Tensor:
        """Turn scores into weights."""
        scores = args[0] if args else kwargs["input"]
        n_keys = scores.shape[-1]
        if scores is not self._scores:
            # Something has been joined to them, such as a column that takes up what is left.
            n_keys = n_keys if self._scores is None else self._scores.shape[-1]
            self._unmasked = scores[..., :n_keys]
            self._visible = self._unmasked > HIDDEN
        assert self._unmasked is not None
        scores_BHQK = self._by_head(self._unmasked)
        visible_BQK = self._hook(Step.VISIBLE, self._visible_to(scores_BHQK))
        scores_BHQK = self._hook(Step.SCORES, scores_BHQK)
        masked_BHQK = scores_BHQK.masked_fill(~visible_BQK[:, None], -math.inf)
        masked_BHQK = self._hook(Step.MASKED_SCORES, masked_BHQK)
        if n_keys < scores.shape[-1]:
            masked_BHQK = torch.cat([masked_BHQK, self._by_head(scores[..., n_keys:])], dim=-1)
        weights = attention_weights(masked_BHQK).reshape(scores.shape)
        self._weights = weights.to(kwargs.get("dtype") or scores.dtype)
        return self._weights

    def _visible_to(self, scores_BHQK: Tensor) -> Tensor:
        """Return visible_BQK; a key that some head sees is visible."""
        if self._visible is None:
            return scores_BHQK.new_ones(scores_BHQK[:, 0].shape, dtype=torch.bool)
        visible_BHQK = self._by_head(self._visible) if self._visible.dim() == 3 else self._visible
        return visible_BHQK.expand(scores_BHQK.shape).any(dim=1)

    def _mix(self, func: Function, weights: Tensor, value: Tensor) -> Tensor:
        """Multiply weights and values."""
        self.is_done = True
        # Before the weights, at which some probes end the pass.
        value = self._stepped(Step.VALUE, value)
        return self._stepped(Step.MIXED, func(self._stepped(Step.WEIGHTS, weights), value))

    def _stepped(self, step: Step, tensor: Tensor) -> Tensor:
        """Pass a tensor to the probe in four axes."""
        return self._hook(step, self._by_head(tensor)).reshape(tensor.shape)

    def _by_head(self, tensor: Tensor) -> Tensor:
        """Return a tensor with axes of their own for sentences and heads."""
        if tensor.dim() == 4:
            return tensor
        return tensor.reshape(self._n_sentences, -1, *tensor.shape[-2:])


def _is_over_keys(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Say whether a softmax runs over the last of three or four axes."""
    scores = args[0] if args else kwargs["input"]
    dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
    return scores.dim() in (3, 4) and dim in (-1, scores.dim() - 1)


class ResidualSums:
    """The sums by which the sublayers of one layer add to the residual stream."""

    def __init__(self, x_BKD: Tensor) -> None:
        """Follow the stream through a layer, from its input on."""
        self.shape = x_BKD.shape
        self._own: dict[int, tuple[Tensor, bool]] = {}
        """The stream, and whether it is the norm of it: the layer's input, its sums, their norms,
        and the same in other shapes."""
        self._parts: dict[int, tuple[Tensor, Tensor, Tensor]] = {}
        """A sum of two tensors neither of which is the stream, and these two."""
        self.keep(x_BKD)

    def keep(self, x: Tensor, *, normed: bool = False) -> Tensor:
        """Note that a tensor is the stream, or its norm."""
        self._own[id(x)] = x, normed
        return x

    def is_stream(self, x: object) -> bool:
        """Say whether a tensor is the stream."""
        return id(x) in self._own

    def is_normed(self, x: object) -> bool:
        """Say whether a tensor is the stream after a norm."""
        return self._own.get(id(x), (None, False))[1]

    def parts(self, added: Tensor) -> tuple[Tensor, Tensor] | None:
        """Return the two that something was summed from, before it is added to the stream."""
        found = self._parts.get(id(added))
        return None if found is None else found[1:]

    def call(self, func: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call a torch function within the layer."""
        name = func.__name__
        if name in _SUMS and len(args) == 2 and not kwargs and self._are_vectors(*args):
            return self._sum(func, *args)
        result = func(*args, **kwargs)
        if args and self.is_stream(args[0]):
            if name in _NORMS:
                return self.keep(self.normed(args[0], result), normed=True)
            if name in _VIEWS and result.numel() == args[0].numel():
                return self.keep(result, normed=self.is_normed(args[0]))
        return result

    def added(self, x: Tensor, added: Tensor) -> Tensor:
        """Return the stream after a sublayer added to it."""
        return x + added

    def normed(self, x: Tensor, normed: Tensor) -> Tensor:
        """Return the norm of the stream."""
        return normed

    def _are_vectors(self, *tensors: object) -> bool:
        return all(
            isinstance(each, Tensor)
            and each.numel() == self.shape.numel()
            and each.shape[-1] == self.shape[-1]
            for each in tensors
        )

    def _sum(self, func: Function, one: Tensor, other: Tensor) -> Tensor:
        if self.is_stream(one) == self.is_stream(other):
            part = one.clone() if func.__name__ in _IN_PLACE else one
            result: Tensor = func(one, other)
            self._parts[id(result)] = (result, part, other)
            return result
        x, added = (one, other) if self.is_stream(one) else (other, one)
        return self.keep(self.added(x, added))


Sums = TypeVar("Sums", bound=ResidualSums)


class Tracing(TorchFunctionMode, ABC, Generic[Sums]):
    """Follows one pass of a model whose layers, attentions and embeddings are `wrapped`."""

    def __init__(self) -> None:
        super().__init__()
        self.sums: list[Sums] = []
        """Of the layers that run, the innermost last."""
        self.attention: AttentionCalls | None = None
        """The one that runs."""

    @abstractmethod
    def layer(self, name: str, run: Run, args: Sequence[Any]) -> Any:
        """Run a layer; the stream is the first argument."""

    def attend(self, name: str, run: Run, args: Sequence[Any]) -> Any:
        """Run a module that attends."""
        return run(*args)

    def embed(self, name: str, run: Run, args: Sequence[Any]) -> Any:
        """Run a module that looks up the vectors of tokens."""
        return run(*args)

    def __enter__(self) -> Self:
        """Begin to follow the passes of this thread."""
        self._token = _current.set(self)
        super().__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Follow no longer."""
        super().__exit__(*error)
        _current.reset(self._token)

    def __torch_function__(
        self, func: Function, types: object, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Hand a torch function to the attention or the layer that calls it."""
        if self.attention is not None and not self.attention.is_done:
            return self.attention.call(func, args, kwargs or {})
        if self.sums:
            return self.sums[-1].call(func, args, kwargs or {})
        return func(*args, **(kwargs or {}))


_current: ContextVar[Tracing[Any] | None] = ContextVar("tracing", default=None)
"""What follows the pass of this thread."""
Kind = Literal["layer", "attend", "embed"]
"""A method of `Tracing`."""


def wrap(kind: Kind, name: str, module: nn.Module) -> None:
    """Let a module run through what follows the pass, if anything does."""
    module.forward = partial(_forward, kind, name, module.forward)


def _forward(kind: Kind, name: str, forward: Function, *args: Any, **kwargs: Any) -> Any:
    current = _current.get()
    if current is None:
        return forward(*args, **kwargs)
    if kind == "layer" and not args:
        args = (kwargs.pop("hidden_states"),)
    return getattr(current, kind)(name, partial(forward, **kwargs), args)
