"""The arguments of a model, cut to one short text, and the changed texts that a check feeds.

A sequence is a source or a target. Of every argument it is known which of its axes counts texts,
and which counts the positions of which sequence, so that all of them are cut and padded together.

B batch, S source length, T target length, V vocabulary.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import torch
from torch import Tensor, nn

from ..messages import N_, MessageError

LONGEST, SHORTEST = 12, 4
"""Tokens of a text: each is replaced in turn, and the passes over the whole batch are short."""
PADDED = 3
"""Tokens of padding."""
IGNORED = -100
"""A label that counts for nothing, in PyTorch's losses."""
POSITIONS = "position_ids"
LABELS = ("labels", "targets")
"""What models call the tokens that are to be predicted."""


class CheckError(MessageError):
    """Why a model cannot be checked."""


@dataclass(frozen=True, slots=True)
class TokenSequence:
    """One of the sequences that a model reads."""

    side: str
    """"source" or "target"; a single sequence is a target unless it is read in both directions."""
    tokens: str
    """Name of the argument with its tokens: ids, or vectors."""
    causal: bool | None
    """Whether a position must not see later ones; None where only the model's behaviour tells."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """Arguments of a model for a batch in which all texts are copies, or differ in one way."""

    arguments: Mapping[str, Any]
    """Name → tensor or other value."""
    n_positional: int
    """How many of them are passed without their names."""
    axes: Mapping[str, tuple[str, ...]]
    """Tensor → what each of its axes counts: "batch", "source", "target", or "" for else."""
    sequences: tuple[TokenSequence, ...]
    pad_id: int | None
    padding_masks: Mapping[str, str]
    """Side → the argument that says which of its tokens are padding, or "" where ids do."""

    def __call__(self, model: nn.Module) -> object:
        """Run the model."""
        values = list(self.arguments.values())
        named = dict(list(self.arguments.items())[self.n_positional :])
        result: object = model(*values[: self.n_positional], **named)
        return result

    def sequence(self, side: str) -> TokenSequence:
        """Return the sequence of a side."""
        return next(each for each in self.sequences if each.side == side)

    def tokens(self, side: str) -> Tensor:
        """Return the argument with the tokens of a side."""
        found: Tensor = self.arguments[self.sequence(side).tokens]
        return found

    @property
    def n_texts(self) -> int:
        """Number of texts in the batch."""
        name = self.sequences[0].tokens
        return self.arguments[name].shape[self.axes[name].index("batch")]

    @property
    def lengths(self) -> dict[str, int]:
        """Side → number of positions."""
        return {
            each.side: self.arguments[each.tokens].shape[self.axes[each.tokens].index(each.side)]
            for each in self.sequences
        }

    @property
    def sizes(self) -> dict[str, int]:
        """The axis "batch" → number of texts, and side → number of positions."""
        return {"batch": self.n_texts, **self.lengths}

    def repeated(self, n: int) -> Self:
        """Return `n` copies of the only text."""
        return self._each(lambda name, x: _repeat(x, self.axes[name], n))

    def cut(self, side: str, start: int, length: int) -> Self:
        """Return a part of a sequence; with "batch" as its side, some of the texts."""
        return self._each(lambda name, x: _narrow(x, self.axes[name], side, start, length))

    def with_each_replaced(self, side: str) -> Self:
        """Return copies of the only text: in the one at index i, token i is another one."""
        n = self.lengths[side]
        name = self.sequence(side).tokens
        copies = self.repeated(n)
        x = copies.arguments[name].clone()
        rows = x.movedim([self.axes[name].index(axis) for axis in ("batch", side)], [0, 1])
        for at in range(n):
            rows[at, at] = self._replacement(rows[at], at)
        return replace(copies, arguments={**copies.arguments, name: x})

    def _replacement(self, row: Tensor, at: int) -> Tensor:
        if row.is_floating_point():
            generator = torch.Generator().manual_seed(at)
            noise = torch.randn(row[at].shape, generator=generator)
            return row[at] + noise.to(row) * row.float().std().to(row)
        others = row[row != row[at]]
        if not len(others):
            raise CheckError(N_("The text needs two different tokens."))
        return others[0]

    def padded(self, side: str, *, left: bool = False) -> Self:
        """Return two texts: the only one with padding, and one of its length that has none."""
        first = self._extended(side, left=left, real=False)
        second = self._extended(side, left=left, real=True)
        both = {
            name: torch.cat([x, second.arguments[name]], dim=self.axes[name].index("batch"))
            if "batch" in self.axes.get(name, ())
            else x
            for name, x in first.arguments.items()
        }
        return replace(first, arguments=both)

    def _extended(self, side: str, *, left: bool, real: bool) -> Self:
        """Return the text with more tokens at one end of a sequence.

        Args:
            side: The sequence.
            left: Whether they stand before it.
            real: Whether they are tokens of the text again, or padding.
        """

        def extend(name: str, x: Tensor) -> Tensor:
            axes = self.axes[name]
            if axes[-2:] == (side, side):
                return _extended_square(x, hidden=not real and "batch" in axes, left=left)
            for axis, counts in enumerate(axes):
                if counts == side:
                    more = self._more(name, x, axis, real=real, left=left)
                    x = torch.cat([more, x] if left else [x, more], dim=axis)
            return x

        return self._each(extend)

    def _more(self, name: str, x: Tensor, axis: int, *, real: bool, left: bool) -> Tensor:
        """Return what an argument has at the new positions."""
        axes = self.axes[name]
        if name == self.sequence(axes[axis]).tokens:
            again = x.narrow(axis, 0, PADDED)
            if real or self.pad_id is None or x.is_floating_point():
                return again
            return torch.full_like(again, self.pad_id)
        more = x.narrow(axis, 0 if left else x.shape[axis] - 1, 1)
        more = more.repeat_interleave(PADDED, dim=axis)
        if "position" in name:
            return more * 0 if left else more + torch.arange(1, PADDED + 1, device=x.device)
        if is_mask(name, x) and axis == x.dim() - 1 and "batch" in axes and not real:
            return torch.full_like(more, hidden_value(x))
        return more

    def with_positions(self, n_padded: Sequence[int]) -> Self:
        """Return the inputs with position ids that begin behind the padding of each text."""
        tokens_BT = self.tokens("target")
        ahead_B1 = torch.tensor(n_padded, device=tokens_BT.device)[:, None]
        positions_BT = torch.arange(tokens_BT.shape[1], device=tokens_BT.device) - ahead_B1
        arguments = {**self.arguments, POSITIONS: positions_BT.clamp(min=0)}
        return replace(
            self, arguments=arguments, axes={**self.axes, POSITIONS: ("batch", "target")}
        )

    def _each(self, change: Callable[[str, Tensor], Tensor]) -> Self:
        changed = {
            name: change(name, x) if name in self.axes else x for name, x in self.arguments.items()
        }
        return replace(self, arguments=changed)


def is_mask(name: str, x: object) -> bool:
    """Return whether an argument says what may be looked at."""
    return isinstance(x, Tensor) and (x.dtype == torch.bool or "mask" in name)


def hidden_value(mask: Tensor) -> float | bool:
    """Return what a mask says of hidden positions; most are visible."""
    visible = mask.flatten().mode().values.item()
    if mask.dtype == torch.bool:
        return not visible
    if mask.is_floating_point():
        return -math.inf if visible == 0 else 0.0
    return 1 - visible


def _extended_square(x: Tensor, *, hidden: bool, left: bool) -> Tensor:
    """Return a mask of positions by positions that also has the new ones.

    Args:
        x: The mask; where its first row does not see its last column, it is causal.
        hidden: Whether nobody may look at the new positions.
        left: Whether they stand before the others.
    """
    n = x.shape[-1] + PADDED
    seen = x[..., :1, :1]
    unseen = x[..., :1, -1:]
    is_causal = bool((seen != unseen).any())
    visible = torch.ones(n, n, dtype=torch.bool, device=x.device)
    visible = (visible.tril() if is_causal else visible).expand(*x.shape[:-2], n, n).clone()
    old = slice(PADDED, None) if left else slice(None, -PADDED)
    visible[..., old, old] = x == seen
    if hidden:
        visible[..., slice(None, PADDED) if left else slice(-PADDED, None)] = False
    hides = unseen if is_causal else torch.full_like(seen, hidden_value(seen))
    return torch.where(visible, seen, hides)


def _repeat(x: Tensor, axes: Sequence[str], n: int) -> Tensor:
    return x.repeat_interleave(n, dim=axes.index("batch")) if "batch" in axes else x


def _narrow(x: Tensor, axes: Sequence[str], side: str, start: int, length: int) -> Tensor:
    for axis, counts in enumerate(axes):
        if counts == side:
            x = x.narrow(axis, start, length)
    return x
