"""What plans are made of: products and norms as plain functions of vectors.

B batch, D model width.
"""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.model.attention import Unprojected
from core.model.norm import BatchNorm, LayerNorm, RMSNorm

LARGE = 400_000
"""Numbers: to copy so many takes longer than calls do, and their products do not mind the calls."""

Map = Callable[[Tensor], Tensor]
Module = TypeVar("Module", bound=nn.Module)


class PlanError(ValueError):
    """A part of the model that the plan does not know; the message names it."""

    def __init__(self, part: str, module: object) -> None:
        super().__init__(f"no plan for {part}, which is a {type(module).__name__}")


def known(part: str, module: nn.Module, wanted: type[Module]) -> Module:
    """Return a module of the very class that is wanted.

    Raises:
        PlanError: It is of another.
    """
    if type(module) is not wanted:
        raise PlanError(part, module)
    return module


def linear(part: str, module: nn.Module) -> Map:
    """Return a product with a matrix, and its bias.

    Raises:
        PlanError: It is no `nn.Linear`.
    """
    if type(module) is Unprojected:
        return lambda x_BD: x_BD
    matrix = known(part, module, nn.Linear)
    weight, bias = matrix.weight, matrix.bias
    return lambda x_BD: F.linear(x_BD, weight, bias)


def together(part: str, *modules: nn.Module) -> Map:
    """Return several projections of the same vectors as one product."""
    if all(type(each) is Unprojected for each in modules):
        return lambda x_BD: torch.cat([x_BD] * len(modules), dim=-1)
    matrices = [known(part, each, nn.Linear) for each in modules]
    if sum(each.weight.numel() for each in matrices) > LARGE:
        each_alone = [linear(part, each) for each in matrices]
        return lambda x_BD: torch.cat([of(x_BD) for of in each_alone], dim=-1)
    weight = torch.cat([each.weight for each in matrices])
    biases = [each.bias for each in matrices if each.bias is not None]
    if len(biases) not in (0, len(matrices)):
        raise PlanError(part, matrices[0])
    bias = torch.cat([*biases]) if biases else None
    return lambda x_BD: F.linear(x_BD, weight, bias)


def normalising(part: str, module: nn.Module) -> Map:
    """Return a norm as a function of vectors.

    Raises:
        PlanError: It is of a kind that is not known here.
    """
    if type(module) is nn.Identity:
        return lambda x_BD: x_BD
    if type(module) is RMSNorm:
        sizes, gain, least = module.normalized_shape, module.weight, module.eps
        return lambda x_BD: F.rms_norm(x_BD, sizes, gain, least)
    if type(module) is BatchNorm:
        found = (module.running_mean, module.running_var, module.weight, module.bias)
        added = module.eps
        return lambda x_BD: F.batch_norm(x_BD, *found, eps=added)
    norm = known(part, module, LayerNorm)
    shape, weight, bias, eps = norm.normalized_shape, norm.weight, norm.bias, norm.eps
    return lambda x_BD: F.layer_norm(x_BD, shape, weight, bias, eps)
