"""What follows a pass of a foreign model, and hands the steps of its sublayers to a probe.

Two patterns are followed. An attention is a product of queries and keys, whatever changes it up to
a softmax, and from there on what `watch` follows. A sublayer adds to the residual stream: one side
of the sum is the stream, the other is not.

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
from ..watch.follower import HIDDEN, PRODUCTS, Follower, Function, Product, Softmax

Run = Callable[..., Any]
"""The computation of a module, given its unnamed arguments."""
_SUMS = ("add", "add_")
_HIDING = ("masked_fill", "masked_fill_", "where")
_NORMS = ("layer_norm", "rms_norm")
_VIEWS = ("view", "reshape", "contiguous", "to", "flatten", "clone")


class AttentionSteps(Follower):
    """Hands the steps of one attention to a probe, and goes on with what it returns."""

    def __init__(self, hook: Hook, n_sentences: int) -> None:
        """Follow an attention that begins.

        Args:
            hook: Receives its steps.
            n_sentences: B.
        """
        super().__init__()
        self._hook = hook
        self._n_sentences = n_sentences
        self._scores: Tensor | None = None
        """The products, as they are changed so far."""
        self._unmasked: Tensor | None = None
        """The same as if nothing were hidden."""
        self.is_done = False
        """Whether the values are mixed."""

    def __torch_function__(
        self, func: Function, types: object, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Call a torch function, and follow what makes and changes the scores."""
        name, kwargs = func.__name__, kwargs or {}
        if self._scores is None and name in (*PRODUCTS, "baddbmm"):
            return self._compare(func, args, kwargs)
        if name != "softmax" and any(each is self._scores for each in args if each is not None):
            return self._change(func, args, kwargs)
        return super().__torch_function__(func, types, args, kwargs)

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
        """Change the scores, and what they were if nothing were hidden."""
        assert self._unmasked is not None
        # Some are changed in place.
        unmasked = self._unmasked.clone()
        given = [unmasked if each is self._scores else each for each in args]
        if func.__name__ in _SUMS:
            given = [_hiding_nothing(each) for each in given]
        result = func(*args, **kwargs)
        if isinstance(result, Tensor):
            self._scores = result
            self._unmasked = unmasked if func.__name__ in _HIDING else func(*given, **kwargs)
        return result

    def weigh(self, func: Function, scores: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Turn scores into weights."""
        if scores.dim() < 3:
            # Of a router, which chooses among experts.
            return func(scores, *args, **kwargs)
        n_keys = scores.shape[-1] if self._scores is None else self._scores.shape[-1]
        # Something may be joined to them, such as a column that takes up what is left.
        visible_BHQK = self._by_head(scores[..., :n_keys] > HIDDEN)
        unmasked = self._unmasked if scores is self._scores else scores[..., :n_keys]
        assert unmasked is not None
        # A key that some head sees is visible.
        visible_BQK = self._hook(Step.VISIBLE, visible_BHQK.any(dim=1))
        scores_BHQK = self._hook(Step.SCORES, self._by_head(unmasked))
        masked_BHQK = scores_BHQK.masked_fill(~visible_BQK[:, None], -math.inf)
        masked_BHQK = self._hook(Step.MASKED_SCORES, masked_BHQK)
        if n_keys < scores.shape[-1]:
            masked_BHQK = torch.cat([masked_BHQK, self._by_head(scores[..., n_keys:])], dim=-1)
        masked_BHQK = masked_BHQK.to(kwargs.get("dtype") or scores.dtype)
        return attention_weights(masked_BHQK).reshape(scores.shape)

    def attend(self, softmax: Softmax, value: Tensor, product: Product) -> Tensor:
        """Multiply weights and values."""
        self.is_done = True
        # Before the weights, at which some probes end the pass.
        value = self._stepped(Step.VALUE, value)
        weights = self._stepped(Step.WEIGHTS, softmax.tensor)
        return self._stepped(Step.MIXED, product(weights, value))

    def _stepped(self, step: Step, tensor: Tensor) -> Tensor:
        """Pass a tensor to the probe in four axes."""
        return self._hook(step, self._by_head(tensor)).reshape(tensor.shape)

    def _by_head(self, tensor: Tensor) -> Tensor:
        """Return a tensor with axes of their own for sentences and heads."""
        if tensor.dim() == 4:
            return tensor
        return tensor.reshape(self._n_sentences, -1, *tensor.shape[-2:])


def _hiding_nothing(each: Any) -> Any:
    """Return what is added to scores, with 0 where it hides a key."""
    return each.masked_fill(each <= HIDDEN, 0.0) if isinstance(each, Tensor) else each


class ResidualSums(TorchFunctionMode):
    """Follows the sums by which the sublayers of one layer add to the residual stream."""

    def __init__(self, x_BKD: Tensor) -> None:
        """Follow the stream through a layer, from its input on."""
        super().__init__()
        self.shape = x_BKD.shape
        self.attention: AttentionSteps | None = None
        """The one that runs in the layer."""
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

    def __torch_function__(
        self, func: Function, types: object, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Call a torch function within the layer, or within its attention."""
        if self.attention is not None and not self.attention.is_done:
            return self.attention.__torch_function__(func, types, args, kwargs)
        name = func.__name__
        if name in _SUMS and len(args) == 2 and not kwargs and self._are_vectors(*args):
            return self._sum(func, *args)
        result = func(*args, **(kwargs or {}))
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
            part = one.clone() if func.__name__ == "add_" else one
            result: Tensor = func(one, other)
            self._parts[id(result)] = (result, part, other)
            return result
        x, added = (one, other) if self.is_stream(one) else (other, one)
        return self.keep(self.added(x, added))


Sums = TypeVar("Sums", bound=ResidualSums)


class Tracing(ABC, Generic[Sums]):
    """Follows one pass of a model whose layers, attentions and embeddings are `wrapped`."""

    def __init__(self) -> None:
        self.sums: list[Sums] = []
        """Of the layers that run, the innermost last."""

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
        self._token = _current.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        _current.reset(self._token)

    def summed(self, sums: Sums, run: Run, args: Sequence[Any]) -> Any:
        """Run a layer, and follow its sums."""
        self.sums.append(sums)
        with sums:
            output = run(*args)
        self.sums.pop()
        return output


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
