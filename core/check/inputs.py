"""The arguments of a model, cut to one short text, and the changed texts that a check feeds.

A sequence is a source or a target. Of every argument it is known which of its axes counts texts,
and which counts the positions of which sequence, so that all of them are cut and padded together.

B batch, S source length, T target length, V vocabulary.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import torch
from torch import Tensor, nn

from ..messages import N_, MessageError
from ..model import Transformer

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


# ---- reading the arguments of a model


_OF_TARGET = ("decoder", "tgt", "trg", "target", "y")
"""How names begin that belong to the second of two sequences."""
_MASKS = ("attention_mask", "decoder_attention_mask")
"""Masks of Hugging Face that stand for all ones where they are missing."""
_TORCH = (nn.Transformer, nn.TransformerEncoder, nn.TransformerDecoder)


def read(model: nn.Module, batch: object, causal: bool | None, pad_id: int | None) -> Inputs:
    """Return the longest text of a batch as arguments of a model.

    Args:
        model: Any module.
        batch: Its arguments: a mapping of names, a tuple, or one tensor.
        causal: Whether the last sequence must not see later positions; None to find out.
        pad_id: The token that fills up; None to ask the model's configuration.

    Raises:
        CheckError: The arguments are not those of texts.
    """
    config = getattr(model, "config", None)
    if pad_id is None:
        pad_id = getattr(config, "pad_token_id", getattr(config, "pad_id", None))
        pad_id = None if pad_id == -1 else pad_id
    names = list(inspect.signature(model.forward).parameters)
    arguments, n_positional = named(batch, names)
    device = next(model.parameters()).device
    arguments = {
        name: x.to(device) if isinstance(x, Tensor) else x for name, x in arguments.items()
    }
    sequences = _sequences(model, arguments, causal)
    inputs = Inputs(arguments, n_positional, {}, sequences, pad_id, {})
    inputs = replace(inputs, axes=_axes(model, arguments, sequences))
    if hasattr(config, "model_type"):
        inputs = _with_padding_masks(inputs, names)
        if len(sequences) == 1 and sequences[0].causal and POSITIONS in names:
            inputs = inputs.with_positions([0] * inputs.n_texts)
    inputs = replace(inputs, padding_masks=_padding_masks(inputs))
    return _one_text(inputs)


def named(batch: object, names: Sequence[str]) -> tuple[dict[str, Any], int]:
    """Return the arguments by name, and how many were given without theirs."""
    if isinstance(batch, Mapping):
        accepted = {name: value for name, value in batch.items() if name in names}
        return accepted, 0
    positional = batch if isinstance(batch, tuple | list) else (batch,)
    known = [*names, *(f"argument_{at}" for at in range(len(names), len(positional)))]
    return dict(zip(known, positional, strict=False)), len(positional)


def _sequences(
    model: nn.Module, arguments: Mapping[str, Any], causal: bool | None
) -> tuple[TokenSequence, ...]:
    """Return the one or two sequences among the arguments."""
    found: dict[bool, str] = {}
    for name, x in arguments.items():
        is_text = isinstance(x, Tensor) and x.dim() in (2, 3) and not is_mask(name, x)
        if is_text and name not in LABELS and not name.startswith(("position", "token_type")):
            found.setdefault(name.startswith(_OF_TARGET), name)
    if not found:
        raise CheckError(N_("The batch has no tokens: a tensor of ids or vectors is needed."))
    if len(found) == 2:
        source = TokenSequence("source", found[False], causal=False)
        is_parallel = getattr(getattr(model, "config", None), "is_parallel", False)
        if causal is None:
            causal = not is_parallel
        return source, TokenSequence("target", found[True], causal)
    [name] = found.values()
    if causal is None:
        causal = is_causal(model)
    return (TokenSequence("source" if causal is False else "target", name, causal),)


def is_causal(model: nn.Module) -> bool | None:
    """Return whether a model of one sequence writes on, as far as its class says."""
    if isinstance(model, Transformer):
        return "decoder" in model.config.stacks
    name = type(model).__name__
    if name.endswith(("ForCausalLM", "LMHeadModel")):
        return True
    return False if name.endswith("ForMaskedLM") else None


def _axes(
    model: nn.Module, arguments: Mapping[str, Any], sequences: Sequence[TokenSequence]
) -> dict[str, tuple[str, ...]]:
    """Return what the axes of each tensor count."""
    length_first = isinstance(model, _TORCH) and not _is_batch_first(model)
    lengths, n_texts = {}, 0
    for each in sequences:
        shape = arguments[each.tokens].shape
        n_texts, lengths[each.side] = (shape[1], shape[0]) if length_first else (shape[0], shape[1])
    tokens = {each.tokens: each.side for each in sequences}
    found = {}
    for name, x in arguments.items():
        if not isinstance(x, Tensor):
            continue
        if name in tokens:
            axes = (tokens[name], "batch") if length_first else ("batch", tokens[name])
            found[name] = (*axes, *[""] * (x.dim() - 2))
            continue
        own = _side_of(name, sequences)
        order = [own, *(side for side in lengths if side != own)]
        found[name] = tuple(_counted(name, x, at, order, lengths, n_texts) for at in range(x.dim()))
    return found


def _is_batch_first(model: nn.Module) -> bool:
    attentions = (each for each in model.modules() if isinstance(each, nn.MultiheadAttention))
    return any(bool(each.batch_first) for each in attentions)


def _counted(  # noqa: PLR0913
    name: str, x: Tensor, at: int, order: Sequence[str], lengths: Mapping[str, int], n_texts: int
) -> str:
    """Return what one axis of an argument counts."""
    square = name.endswith("mask") and not ("padding" in name or "attention" in name)
    if at == 0 and x.shape[0] == n_texts and not (x.dim() == 2 and square):
        return "batch"
    if "memory" in name and x.dim() == 2 and square:
        return ("target", "source")[at]
    return next((side for side in order if x.shape[at] == lengths[side]), "")


def _side_of(name: str, sequences: Sequence[TokenSequence]) -> str:
    sides = [each.side for each in sequences]
    return sides[-1] if name.startswith(_OF_TARGET) or name in LABELS else sides[0]


def _with_padding_masks(inputs: Inputs, names: Sequence[str]) -> Inputs:
    """Return the inputs with the masks that a model of Hugging Face takes for ones."""
    arguments, axes = dict(inputs.arguments), dict(inputs.axes)
    for each, name in zip(inputs.sequences, _MASKS, strict=False):
        if name in names and name not in arguments and len(inputs.axes[each.tokens]) == 2:
            arguments[name] = torch.ones_like(arguments[each.tokens])
            axes[name] = ("batch", each.side)
    return replace(inputs, arguments=arguments, axes=axes)


def _padding_masks(inputs: Inputs) -> dict[str, str]:
    """Return the argument that tells the padding of each sequence."""
    found = {}
    for each in inputs.sequences:
        names = [
            name
            for name, axes in inputs.axes.items()
            if is_mask(name, inputs.arguments[name])
            and axes[0] == "batch"
            and axes[-1] == each.side
        ]
        is_ids = not inputs.tokens(each.side).is_floating_point()
        if names:
            # That of the sequence itself, before what crosses to it.
            found[each.side] = min(names, key=lambda name: "memory" in name)
        elif inputs.pad_id is not None and is_ids:
            found[each.side] = ""
    return found


def _one_text(inputs: Inputs) -> Inputs:
    """Return the text with the most tokens, cut to a few that are no padding."""
    longest = int(_real(inputs, inputs.sequences[-1].side).sum(dim=1).argmax())
    inputs = inputs.cut("batch", longest, 1)
    for each in inputs.sequences:
        [at] = _real(inputs, each.side)[0].nonzero(as_tuple=True)
        if len(at) < SHORTEST:
            raise CheckError(N_("A text of at least {n} tokens is needed."), n=SHORTEST)
        start, most = int(at[0]), LONGEST - (each.side == "source")
        inputs = inputs.cut(each.side, start, min(int(at[-1]) + 1 - start, most))
    return inputs


def _real(inputs: Inputs, side: str) -> Tensor:
    """Return real_BK, True where a sequence is no padding."""
    tokens, name = inputs.tokens(side), inputs.padding_masks.get(side)
    axes = inputs.axes[inputs.sequence(side).tokens]
    rows = tokens.movedim([axes.index("batch"), axes.index(side)], [0, 1])
    if name:
        mask = inputs.arguments[name]
        mask = mask.reshape(len(mask), -1, mask.shape[-1])[:, -1]
        return torch.ne(mask, hidden_value(mask))
    if name == "":
        return torch.ne(rows, inputs.pad_id or 0)
    return torch.ones(rows.shape[:2], dtype=torch.bool)
