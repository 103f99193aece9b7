"""A checkpoint's weights under the names that they have here, in a model of its settings.

What is missing, left over, of another shape, or no number is refused by name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from ..config.choices import RotaryPairs, Tied
from ..model import Transformer, unfilled
from ..model.building import outline
from .family import Family, FamilyError, Renaming, Settings, Weights

LARGEST_WEIGHT = 1e9
"""Sums of products of larger ones leave the range of 32 bits."""


def load(
    family: Family,
    told: Mapping[str, Any],
    weights: Weights,
    rotary_pairs: RotaryPairs = "halves",
) -> Transformer:
    """Return a model with all weights of a checkpoint, in evaluation mode.

    Args:
        family: What it is.
        told: Its `config.json`.
        weights: Name → tensor, as its files call them.
        rotary_pairs: Which dimensions turn together: that depends on the file, not on the family.

    Raises:
        ConfigError: The sizes do not go together.
        FamilyError: Something of it is not known here, missing, or has another shape.
    """
    config = replace(family.config(Settings(told, weights)), rotary_pairs=rotary_pairs)
    made = converted(family, weights, config.tied, one_stack=not config.is_encoder_decoder)
    # Before memory is asked for: settings may say any size.
    places = outline(config).saved()
    if missing := sorted(set(places) - set(made)):
        raise FamilyError(
            "{name} is in no file of this {label} model", name=_named(missing), label=family.label
        )
    if left := sorted(set(made) - set(places)):
        raise FamilyError(
            "{name} has no place in a {label} model of these sizes",
            name=_named(left),
            label=family.label,
        )
    for name, place in places.items():
        if place.shape != made[name].shape:
            raise FamilyError(
                "{name} is {value}, where this {label} model has {wanted}",
                name=name,
                value=tuple(made[name].shape),
                label=family.label,
                wanted=tuple(place.shape),
            )
    model = unfilled(config)
    for name, place in model.saved().items():
        place.data = _numbers(name, made[name]).to(place.dtype)
    return model.eval()


def _numbers(name: str, tensor: Tensor) -> Tensor:
    """Return a weight.

    Raises:
        FamilyError: It is made of whole numbers, of what is no number, or of such large ones that
            what is computed of them has no end.
    """
    if not tensor.is_floating_point():
        raise FamilyError(
            "{name} is made of {kind}: no weights",
            name=name,
            kind=str(tensor.dtype).removeprefix("torch."),
        )
    if not bool(tensor.isfinite().all()):
        raise FamilyError("{name} holds something that is no number, or has no end", name=name)
    if float(tensor.abs().max()) > LARGEST_WEIGHT:
        raise FamilyError("{name} holds larger numbers than {n}", name=name, n=LARGEST_WEIGHT)
    return tensor


def converted(
    family: Family, weights: Weights, tied: Tied, *, one_stack: bool = False
) -> dict[str, Tensor]:
    """Return weights under the names that they have here, each once.

    Raises:
        FamilyError: A weight is not known, or one that is there twice differs.
    """
    made: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        for renaming in family.renamings:
            if renaming.names(name) is not None:
                break
        else:
            raise FamilyError(
                "{name} is no weight that is known of a {label} model",
                name=name,
                label=family.label,
            )
        for own, part in _parts(family, renaming, name, tensor):
            if own in made and not torch.equal(made[own], part):
                raise FamilyError(
                    "{name} differs from another weight that it should equal", name=name
                )
            made[own] = part
    shared = {
        "all": ("output.weight", "target_embedding.tokens.weight"),
        "target": ("output.weight",),
        "embeddings": ("target_embedding.tokens.weight",),
        "none": (),
    }[tied]
    for name in shared:
        if not (one_stack and name.startswith("target")):
            made.pop(name, None)
    return made


def _parts(
    family: Family, renaming: Renaming, name: str, tensor: Tensor
) -> list[tuple[str, Tensor]]:
    """Return what a weight is made into, under the names that it has here.

    Raises:
        FamilyError: Its shape does not fit.
    """
    names = renaming.names(name) or ()
    try:
        return list(zip(names, renaming.made(tensor) if names else (), strict=True))
    except (IndexError, RuntimeError, ValueError) as error:
        raise FamilyError(
            "{name} is {value}, which no {label} model has",
            name=name,
            value=tuple(tensor.shape),
            label=family.label,
        ) from error


def _named(names: Sequence[str]) -> str:
    more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return f"{names[0]}{more}"
