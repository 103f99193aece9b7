"""Weights and optimizers on disk: safetensors and JSON, never pickle."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load, load_file, save
from torch import Tensor, nn

from core.config import ModelConfig
from core.files import open_regular, write_atomically
from core.messages import Message, SaidError, said
from core.model import Transformer, unfilled
from core.model.building import outline
from core.runs.files import NOT_LISTED, listed
from core.runs.weights import WEIGHT_FOLDERS

SEAL = "sha256"
"""In the header of a file: the checksum of its tensors, with their names and shapes."""
SCALE = ".scale"
"""Ends the name of what a rounded matrix's rows are multiplied by."""
Shapes = Mapping[str, tuple[int, ...]]
_LARGEST_HEADER = 100_000_000
"""Bytes, as safetensors has it."""
_CHUNK = 1 << 20
_SMALL = 64 << 20
"""Bytes of weights that are read, and compared with what was written, however they are opened."""


class CheckpointError(SaidError, ValueError):
    """A file of weights that cannot be used; the message names it and what is wrong."""


def no_safetensors(name: str, error: Exception) -> CheckpointError:
    """Return an error that says of a file of weights what its reader says."""
    return CheckpointError(
        "{name} is damaged or no safetensors file: {why}", name=name, why=said(error)
    )


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
        mapped: Leave the weights in the file until they are used, where they are many.

    Raises:
        CheckpointError: The file is missing, damaged, or of another configuration.
    """
    tensors = _read_tensors(path, mapped=mapped)
    require_shapes(path.name, {name: tuple(each.shape) for name, each in tensors.items()}, config)
    tensors = _unrounded(tensors)
    if not mapped:
        _require_finite(path.name, tensors)
    model = unfilled(config)
    with torch.no_grad():
        for name, tensor in model.saved().items():
            if mapped and isinstance(tensor, nn.Parameter):
                tensor.data = tensors[name].float()
            else:
                tensor.copy_(tensors[name])
    return model.eval()


def _require_finite(file: str, tensors: Mapping[str, Tensor]) -> None:
    """Refuse weights of a training that diverged: with them a model computes nothing but NaN."""
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise CheckpointError(
                "{file}: {tensor} holds NaN or infinity, as after a training that diverged",
                file=file,
                tensor=name,
            )


def require_shapes(file: str, found: Shapes, config: ModelConfig) -> None:
    """Refuse weights of other sizes than a model's, before memory for the model is asked for.

    Args:
        file: What messages call what holds them.
        found: Their shapes by their names; a rounded one has its scale beside it.
        config: The model.

    Raises:
        CheckpointError: A weight is missing, too much, or of another shape.
    """
    wanted = {name: tuple(each.shape) for name, each in outline(config).saved().items()}
    scales = {name + SCALE: (*shape[:-1], 1) for name, shape in wanted.items()}
    wanted |= {name: shape for name, shape in scales.items() if name in found}
    differing = sorted(set(found) ^ set(wanted)) or sorted(
        name for name in wanted if found[name] != wanted[name]
    )
    if differing:
        raise CheckpointError(
            "{name} holds other weights than run.json describes: {weights}",
            name=file,
            weights=", ".join(differing[:3]),
        )


def shapes_in(file: Path) -> Shapes:
    """Return the shapes of the tensors in a file by their names; nothing else of it is read.

    Raises:
        CheckpointError: It is missing or damaged.
    """
    _header(file)
    try:
        with safe_open(file, framework="pt") as tensors:
            names = tensors.keys()
            return {name: tuple(tensors.get_slice(name).get_shape()) for name in names}
    except SafetensorError as error:
        raise no_safetensors(file.name, error) from error


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
        raise CheckpointError(
            "{name} does not fit this training: {why}", name=path.name, why=said(error)
        ) from error


def _read_tensors(path: Path, *, mapped: bool = False) -> dict[str, Tensor]:
    told, _ = _header(path)
    mapped = mapped and path.stat().st_size > _SMALL
    try:
        # To read all of a mapped file would be what is to be avoided.
        content = b"" if mapped else path.read_bytes()
        tensors = load_file(path) if mapped else load(content)
    except OSError as error:
        raise CheckpointError("{name}: {why}", name=path.name, why=error.strerror) from error
    except SafetensorError as error:
        raise no_safetensors(path.name, error) from error
    seal = _told_seal(told) if mapped else _checksum(told, [memoryview(content)[_begin(content) :]])
    # Files of before, and of others, have none.
    if (_told_seal(told) or seal) != seal:
        raise CheckpointError(
            "{name} is damaged: its content is not what was written", name=path.name
        )
    _require_listed(path, seal)
    return tensors


def _require_listed(path: Path, seal: str) -> None:
    """Refuse weights that are not those of which the run's list speaks, if there is a list.

    Raises:
        CheckpointError: They are not.
        RunError: The list is damaged.
    """
    found = listed(path.parent.parent)
    name = f"{path.parent.name}/{path.name}"
    # Those for whoever watches a training come and go; and what a training has just removed was
    # there before it made the list.
    if found and path.parent.name in WEIGHT_FOLDERS and path.exists():
        if name not in found:
            raise CheckpointError(
                "{name} is not among the weights that checksums.json lists "
                "(without that file the run is read unchecked)",
                name=name,
            )
        if seal and found[name] != seal:
            raise CheckpointError("{name} is damaged: {why}", name=name, why=NOT_LISTED)


def seal_of(path: Path) -> str:
    """Return the checksum of a file of tensors, with their names and shapes.

    It is the one that the file tells; where it tells none, as those of others, it is computed.

    Raises:
        CheckpointError: The file is missing or damaged.
    """
    told, begin = _header(path)
    if seal := _told_seal(told):
        return seal
    with path.open("rb") as file:
        file.seek(begin)
        return _checksum(told, iter(lambda: file.read(_CHUNK), b""))


def _sealed(tensors: dict[str, Tensor]) -> bytes:
    """Return a file of tensors that says what it was written with: a flipped bit is found."""
    content = save(tensors)
    begin = _begin(content)
    seal = _checksum(json.loads(content[8:begin]), [memoryview(content)[begin:]])
    # Of several things that are told, safetensors writes now this first, now that.
    return save(tensors, metadata={SEAL: seal})


def _begin(content: bytes) -> int:
    """Return where the tensors of a safetensors file begin: behind its header and its length."""
    return 8 + int.from_bytes(content[:8], "little")


def _header(path: Path) -> tuple[dict[str, Any], int]:
    """Return the header of a safetensors file, and where its tensors begin.

    Raises:
        CheckpointError: The file is missing, or not as long as its header says.
    """
    try:
        with open_regular(path) as file:
            begin = _begin(file.read(8))
            size = os.fstat(file.fileno()).st_size
            if begin > min(size, _LARGEST_HEADER):
                raise ValueError(Message("its header is too large"))
            header = json.loads(file.read(begin - 8))
        ends = [told["data_offsets"][1] for name, told in header.items() if name != "__metadata__"]
        if begin + max(ends, default=0) != size:
            raise ValueError(
                Message("it has {n} bytes, and not as many as its header says", n=size)
            )
    except OSError as error:
        raise CheckpointError("{name}: {why}", name=path.name, why=error.strerror) from error
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise no_safetensors(path.name, error) from error
    return header, begin


def _told_seal(header: dict[str, Any]) -> str:
    """Return the checksum that a file says it was written with; empty where it says none."""
    told = header.get("__metadata__")
    return str(told.get(SEAL, "")) if isinstance(told, dict) else ""


def _checksum(header: dict[str, Any], tensors: Iterable[bytes | memoryview]) -> str:
    """Return the checksum of all that a file holds but what its header says freely."""
    named = {name: each for name, each in header.items() if name != "__metadata__"}
    found = hashlib.sha256(json.dumps(named, sort_keys=True).encode())
    for each in tensors:
        found.update(each)
    return found.hexdigest()
