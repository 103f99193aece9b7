"""Weights and optimizers on disk: safetensors and JSON, never pickle."""

import hashlib
import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, load_file, save
from torch import Tensor, nn

from core.config import ModelConfig
from core.files import write_atomically
from core.model import Transformer, unfilled

SEAL = "sha256"
"""In the header of a file: the checksum of its tensors, with their names and shapes."""
SCALE = ".scale"
"""Ends the name of what a rounded matrix's rows are multiplied by."""


class CheckpointError(ValueError):
    """A file of weights that cannot be used; the message names it and what is wrong."""


def save_weights(model: Transformer, path: Path, dtype: torch.dtype = torch.float32) -> None:
    """Write a model's weights in a precision; a shared matrix is written once.

    Buffers that are computed from nothing else, such as running means, are written as they are.
    """
    tensors = {name: _kept(each, dtype) for name, each in model.saved().items()}
    write_atomically(path, _sealed(tensors))


def _kept(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """Return a tensor as a file holds it; only parameters are brought to a precision."""
    kept = tensor.detach().contiguous()
    return kept.to(dtype) if isinstance(tensor, nn.Parameter) else kept


def save_rounded(model: Transformer, path: Path) -> None:
    """Write a model's weights in a quarter of their size, for looking, not for going on.

    Each row of a matrix is kept as whole numbers from -127 to 127 and what they are multiplied by,
    so that no weight is off by more than 1/254 of the largest of its row.
    """
    tensors: dict[str, Tensor] = {}
    for name, parameter in model.saved().items():
        if parameter.dim() < 2 or not isinstance(parameter, nn.Parameter):
            tensors[name] = parameter.detach().contiguous()
            continue
        scale = parameter.detach().abs().amax(dim=-1, keepdim=True).clamp_min(1e-30) / 127
        tensors[name] = (parameter.detach() / scale).round().to(torch.int8)
        tensors[name + SCALE] = scale
    write_atomically(path, _sealed(tensors))


def load_model(path: Path, config: ModelConfig, *, mapped: bool = False) -> Transformer:
    """Return a model in evaluation mode with the weights of a file, rounded or not.

    Args:
        path: The file.
        config: What it holds.
        mapped: Leave the weights in the file until they are used, which large models open with.

    Raises:
        CheckpointError: The file is missing, damaged, or of another configuration.
    """
    tensors = _unrounded(_read_tensors(path, mapped=mapped))
    model = unfilled(config)
    wanted = model.saved()
    differing = sorted(set(wanted) ^ set(tensors)) or sorted(
        name for name in wanted if wanted[name].shape != tensors[name].shape
    )
    if differing:
        raise CheckpointError(
            f"{path.name} holds other weights than run.json describes: {', '.join(differing[:3])}"
        )
    with torch.no_grad():
        for name, tensor in wanted.items():
            if mapped and isinstance(tensor, nn.Parameter):
                tensor.data = tensors[name].float()
            else:
                tensor.copy_(tensors[name])
    return model.eval()


def _unrounded(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights that rounded ones stand for; a scale that is none stays, as unknown."""
    scales = {
        name: tensors[name + SCALE]
        for name, tensor in tensors.items()
        if name + SCALE in tensors and tensors[name + SCALE].shape == (*tensor.shape[:-1], 1)
    }
    return {
        name: tensor.float() * scales[name] if name in scales else tensor
        for name, tensor in tensors.items()
        if name.removesuffix(SCALE) not in scales or not name.endswith(SCALE)
    }


def save_state(optimizer: torch.optim.Optimizer, path: Path) -> None:
    """Write what training needs beside the weights to go on: the optimizer's state.

    Random numbers begin anew at each step, from the seed and the step. A weight that nothing was
    learned of, for no loss depends on it, has the state of one before its first step: zeros.
    """
    known = optimizer.state_dict()["state"]
    like: dict[str, Tensor] = next(iter(known.values()), {})
    weights = [each for group in optimizer.param_groups for each in group["params"]]
    tensors = {
        f"optimizer.{number}.{name}": (
            known[number][name].detach().contiguous()
            if number in known
            else torch.zeros_like(weight if value.ndim else value)
        )
        for number, weight in enumerate(weights)
        for name, value in like.items()
    }
    write_atomically(path, _sealed(tensors))


def load_state(optimizer: torch.optim.Optimizer, path: Path) -> None:
    """Put an optimizer back to where `save_state` saw it.

    Raises:
        CheckpointError: The file is missing or damaged.
    """
    tensors = _read_tensors(path)
    state: dict[int, dict[str, Tensor]] = {}
    try:
        for name, tensor in tensors.items():
            part, _, rest = name.partition(".")
            if part == "optimizer":
                parameter, _, value = rest.partition(".")
                state.setdefault(int(parameter), {})[value] = tensor
        current: dict[str, Any] = optimizer.state_dict()
        wanted = sum(len(group["params"]) for group in current["param_groups"])
        if len(state) != wanted:
            raise ValueError(f"it is of {len(state)} weights, not of {wanted}")
        optimizer.load_state_dict({"state": state, "param_groups": current["param_groups"]})
    except (KeyError, ValueError) as error:
        raise CheckpointError(f"{path.name} does not fit this training: {error}") from error


def _read_tensors(path: Path, *, mapped: bool = False) -> dict[str, Tensor]:
    try:
        if mapped:
            # To read all of it would be what is to be avoided.
            return load_file(path)
        content = path.read_bytes()
        tensors = load(content)
    except OSError as error:
        raise CheckpointError(f"{path.name}: {error.strerror}") from error
    except SafetensorError as error:
        raise CheckpointError(f"{path.name} is damaged or no safetensors file: {error}") from error
    told, seal = _header(content)
    # Files of before, and of others, have none.
    if told.get("__metadata__", {}).get(SEAL, seal) != seal:
        raise CheckpointError(f"{path.name} is damaged: its content is not what was written")
    return tensors


def _sealed(tensors: dict[str, Tensor]) -> bytes:
    """Return a file of tensors that says what it was written with: a flipped bit is found."""
    _, seal = _header(save(tensors))
    # Of several things that are told, safetensors writes now this first, now that.
    return save(tensors, metadata={SEAL: seal})


def _header(content: bytes) -> tuple[dict[str, Any], str]:
    """Return the header of a safetensors file, and the checksum of all but what it says freely."""
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    named = {name: each for name, each in header.items() if name != "__metadata__"}
    found = hashlib.sha256(json.dumps(named, sort_keys=True).encode())
    found.update(memoryview(content)[end:])
    return header, found.hexdigest()
