"""Weights, optimizer and random states on disk: safetensors and JSON, never pickle."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from core.config import ModelConfig
from core.model import Transformer, build


class CheckpointError(ValueError):
    """A file of weights that cannot be used; the message names it and what is wrong."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, whatever happens meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is its owner's alone; a run folder is for whoever may read the folder.
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def save_weights(model: Transformer, path: Path, dtype: torch.dtype = torch.float32) -> None:
    """Write a model's weights in a precision; a shared matrix is written once."""
    tensors = {
        name: parameter.detach().to(dtype).contiguous()
        for name, parameter in model.named_parameters()
    }
    write_atomically(path, save(tensors))


def load_model(path: Path, config: ModelConfig) -> Transformer:
    """Return a model in evaluation mode with the weights of a file.

    Raises:
        CheckpointError: The file is missing, damaged, or of another configuration.
    """
    tensors = _read_tensors(path)
    model = build(config)
    wanted = dict(model.named_parameters())
    differing = sorted(set(wanted) ^ set(tensors)) or sorted(
        name for name in wanted if wanted[name].shape != tensors[name].shape
    )
    if differing:
        raise CheckpointError(
            f"{path.name} holds other weights than run.json describes: {', '.join(differing[:3])}"
        )
    with torch.no_grad():
        for name, parameter in wanted.items():
            parameter.copy_(tensors[name])
    return model.eval()


def save_state(optimizer: torch.optim.Optimizer, path: Path) -> None:
    """Write what training needs beside the weights to go on: optimizer and random states."""
    state = optimizer.state_dict()
    tensors = {
        f"optimizer.{parameter}.{name}": value.detach().contiguous()
        for parameter, values in state["state"].items()
        for name, value in values.items()
    }
    tensors["random.torch"] = torch.get_rng_state()
    settings = json.dumps(state["param_groups"])
    write_atomically(path, save(tensors, metadata={"param_groups": settings}))


def load_state(optimizer: torch.optim.Optimizer, path: Path) -> None:
    """Put an optimizer and torch's random state back to where `save_state` saw them.

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
        optimizer.load_state_dict({"state": state, "param_groups": current["param_groups"]})
        torch.set_rng_state(tensors["random.torch"])
    except (KeyError, ValueError) as error:
        raise CheckpointError(f"{path.name} does not fit this training: {error}") from error


def _read_tensors(path: Path) -> dict[str, Tensor]:
    try:
        return load(path.read_bytes())
    except OSError as error:
        raise CheckpointError(f"{path.name}: {error.strerror}") from error
    except SafetensorError as error:
        raise CheckpointError(f"{path.name} is damaged or no safetensors file: {error}") from error
