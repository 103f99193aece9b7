"""Reads the arguments of a model: which are texts, which are masks, what their axes count."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from ..messages import N_
from ..model import Transformer
from .inputs import (
    LABELS,
    LONGEST,
    POSITIONS,
    SHORTEST,
    CheckError,
    Inputs,
    TokenSequence,
    hidden_value,
    is_mask,
)

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
