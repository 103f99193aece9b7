"""The weights of a run and its optimizer on disk: safetensors and JSON, never pickle.

checkpoints/  the newest step, to resume training from; weights of earlier ones if requested
snapshots/    log-spaced steps, rounded to 8 bits
best/         the step with the lowest held-out loss
live/         the newest steps, while a page watches the training
start/        of step 0, where a run began with the weights of another

The header of each file holds the checksum of its tensors.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load, load_file, save
from torch import Tensor, nn

from ..config import ModelConfig
from ..files import write_atomically
from ..messages import MessageError, error_text
from ..model import Transformer, unfilled
from ..model.building import outline
from .settings import RunSettings

CHECKPOINTS, SNAPSHOTS, BEST, LIVE = "checkpoints", "snapshots", "best", "live"
START = "start"
FOLDERS = (CHECKPOINTS, BEST, LIVE, START, SNAPSHOTS)
"""In the order in which a step is searched: exact weights before rounded ones."""
WEIGHT_FOLDERS = (BEST, CHECKPOINTS, SNAPSHOTS, START)
"""Folders whose weights are kept, and included when a run is given away."""
CHECKSUM = "sha256"
"""Header entry: the checksum of the tensors, their names and shapes."""
SCALE = ".scale"
"""Suffix of the tensor that holds the row scales of a rounded matrix."""
Shapes = Mapping[str, tuple[int, ...]]
_WEIGHTS = re.compile(r"step-[0-9]+\.safetensors")
LARGEST_READ = 64 << 20
"""Bytes up to which weights are read whole and checked, even if `mapped`."""


def weights_file(step: int) -> str:
    """Return the name of a step's weights.

    >>> weights_file(400)
    'step-00000400.safetensors'
    """
    return f"step-{step:08d}.safetensors"


def step_of(weights: Path) -> int:
    """Return the step that a weights file's name contains."""
    return int(weights.name.removeprefix("step-").split(".")[0])


def weights_in(path: Path, folder: str) -> list[Path]:
    """Return the files of weights in one of a run's folders, the fewest steps first."""
    try:
        # Asked of every run whenever a page is drawn: `Path.glob` takes ten times as long.
        names = os.listdir(path / folder)  # noqa: PTH208
    except OSError:
        return []
    files = [path / folder / name for name in names if _WEIGHTS.fullmatch(name)]
    return sorted(files, key=step_of)


def newest_checkpoint(path: Path) -> Path | None:
    """Return the weights that training would resume from, or None if there are none."""
    return next(reversed(weights_in(path, CHECKPOINTS)), None)


def kept_step(path: Path) -> int:
    """Return the step that training would resume from."""
    checkpoint = newest_checkpoint(path)
    return 0 if checkpoint is None else step_of(checkpoint)


def has_state(path: Path) -> bool:
    """Say whether training can resume: an exported run has weights, but no optimizer."""
    checkpoint = newest_checkpoint(path)
    return checkpoint is None or checkpoint.with_suffix(".state.safetensors").exists()


def best_weights(path: Path) -> Path | None:
    """Return the weights with the lowest held-out loss, or None if there are none."""
    return next(reversed(weights_in(path, BEST)), None)


def opening_weights(path: Path, settings: RunSettings) -> Path | None:
    """Return the file of weights that a run opens with, or None if none were kept yet."""
    best = best_weights(path) if settings.training.patience else None
    return best or newest_checkpoint(path)


def weights_at(path: Path, step: int) -> Path | None:
    """Return the most exact weights of a step, or None if none were kept."""
    files = (path / folder / weights_file(step) for folder in FOLDERS)
    return next((file for file in files if file.exists()), None)


def stops(path: Path) -> tuple[int, ...]:
    """Return the steps at which a run's model can be loaded, in order; 0 is before training."""
    steps = {step_of(file) for folder in FOLDERS for file in weights_in(path, folder)}
    return tuple(sorted({0, *steps}))


def is_snapshot_step(step: int) -> bool:
    """Say whether a snapshot is due: after 1, 2, 5, 10, 20, 50 … steps.

    >>> [step for step in range(1, 200) if is_snapshot_step(step)]
    [1, 2, 5, 10, 20, 50, 100]
    """
    digits = str(step)
    return digits[0] in "125" and not digits[1:].strip("0")


class CheckpointError(MessageError, ValueError):
    """A file of weights that cannot be used; the message names it and what is wrong."""


def save_weights(model: Transformer, path: Path, dtype: torch.dtype = torch.float32) -> None:
    """Write a model's weights in a precision; a shared matrix is written once.

    Buffers that cannot be recomputed, such as running means, keep their own precision.
    """
    tensors = {name: _kept(each, dtype) for name, each in model.saved().items()}
    save_tensors(tensors, path)


def save_tensors(tensors: Mapping[str, Tensor], path: Path) -> None:
    """Write tensors that share no memory, with their checksum."""
    write_atomically(path, _with_checksum(tensors))


def _kept(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """Return a tensor as it is stored; only parameters are converted to the precision."""
    stored = tensor.detach().contiguous()
    return stored.to(dtype) if isinstance(tensor, nn.Parameter) else stored


def save_rounded(model: Transformer, path: Path) -> None:
    """Write a model's weights at a quarter of their size: to look at, not to resume training from.

    Each row of a matrix is stored as integers from -127 to 127 and a scale, so that no weight is
    off by more than 1/254 of the largest in its row.
    """
    tensors: dict[str, Tensor] = {}
    for name, parameter in model.saved().items():
        if parameter.dim() < 2 or not isinstance(parameter, nn.Parameter):
            tensors[name] = parameter.detach().contiguous()
            continue
        scale = parameter.detach().abs().amax(dim=-1, keepdim=True).clamp_min(1e-30) / 127
        tensors[name] = (parameter.detach() / scale).round().to(torch.int8)
        tensors[name + SCALE] = scale
    write_atomically(path, _with_checksum(tensors))


def load_model(path: Path, config: ModelConfig) -> Transformer:
    """Return a model in evaluation mode with the weights of a file, rounded or not.

    Raises:
        CheckpointError: The file is missing, damaged, or of another configuration.
    """
    require_shapes(path.name, shapes_in(path), config)
    tensors = _unrounded(read_tensors(path))
    _require_finite(path.name, tensors)
    model = unfilled(config)
    with torch.no_grad():
        for name, tensor in model.saved().items():
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


def require_shapes(file: str, shapes: Shapes, config: ModelConfig) -> None:
    """Refuse weights of other sizes than a model's, before memory for the model is asked for.

    Args:
        file: Name of the file in messages.
        shapes: Of the weights, by their names; a rounded one has its scale beside it.
        config: The model.

    Raises:
        CheckpointError: A weight is missing, too much, or of another shape.
    """
    expected = {name: tuple(each.shape) for name, each in outline(config).saved().items()}
    scales = {name + SCALE: (*shape[:-1], 1) for name, shape in expected.items()}
    expected |= {name: shape for name, shape in scales.items() if name in shapes}
    differing = sorted(set(shapes) ^ set(expected)) or sorted(
        name for name in expected if shapes[name] != expected[name]
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
    if not file.is_file():
        raise CheckpointError("{name} is missing", name=file.name)
    try:
        with safe_open(file, framework="pt") as tensors:
            names = tensors.keys()
            return {name: tuple(tensors.get_slice(name).get_shape()) for name in names}
    except (OSError, SafetensorError) as error:
        raise CheckpointError(
            "{name} is damaged or no safetensors file: {why}", name=file.name, why=error_text(error)
        ) from error


def _unrounded(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return rounded weights multiplied by their scales; a scale without a matrix is kept."""
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
    """Write the optimizer's state, with which training can resume.

    Random numbers are reseeded at each step from the seed and the step. A weight without gradients,
    on which no loss depends, gets the initial state: zeros.
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
    write_atomically(path, _with_checksum(tensors))


def load_state(optimizer: torch.optim.Optimizer, path: Path) -> None:
    """Restore an optimizer from `save_state`.

    Raises:
        CheckpointError: The file is missing or damaged.
    """
    shapes_in(path)
    tensors = read_tensors(path)
    state: dict[int, dict[str, Tensor]] = {}
    try:
        for name, tensor in tensors.items():
            part, _, rest = name.partition(".")
            if part == "optimizer":
                parameter, _, value = rest.partition(".")
                state.setdefault(int(parameter), {})[value] = tensor
        current: dict[str, Any] = optimizer.state_dict()
        n = sum(len(group["params"]) for group in current["param_groups"])
        if len(state) != n:
            raise ValueError(f"it is of {len(state)} weights, not of {n}")
        optimizer.load_state_dict({"state": state, "param_groups": current["param_groups"]})
    except (KeyError, ValueError) as error:
        raise CheckpointError(
            "{name} does not fit this training: {why}", name=path.name, why=error_text(error)
        ) from error


def read_tensors(path: Path, *, mapped: bool = False) -> dict[str, Tensor]:
    """Return the tensors in a file whose header has been looked at by `shapes_in`.

    Args:
        path: The file.
        mapped: Leave large ones in the file until they are used.

    Raises:
        CheckpointError: It is damaged.
    """
    if mapped and path.stat().st_size > LARGEST_READ:
        # Reading all of a mapped file would defeat its purpose.
        return load_file(path)
    content = path.read_bytes()
    header = json.loads(content[8 : _begin(content)])
    # Files of other programs, and of old versions, hold no checksum.
    metadata = header.get("__metadata__") or {}
    if metadata.get(CHECKSUM) not in (None, _checksum(header, content)):
        raise CheckpointError(
            "{name} is damaged: its content is not what was written", name=path.name
        )
    return load(content)


def _with_checksum(tensors: Mapping[str, Tensor]) -> bytes:
    """Return a file of tensors whose header holds their checksum, which finds a flipped bit."""
    content = save(dict(tensors))
    checksum = _checksum(json.loads(content[8 : _begin(content)]), content)
    # Of several entries safetensors writes now this first, now that: there is only one.
    return save(dict(tensors), metadata={CHECKSUM: checksum})


def _checksum(header: dict[str, Any], content: bytes) -> str:
    """Return the SHA-256 of the tensors in a file, with their names, types and shapes."""
    named = {name: each for name, each in header.items() if name != "__metadata__"}
    checksum = hashlib.sha256(json.dumps(named, sort_keys=True).encode())
    checksum.update(memoryview(content)[_begin(content) :])
    return checksum.hexdigest()


def _begin(content: bytes) -> int:
    """Return where the tensors of a safetensors file begin: behind its header and its length."""
    return 8 + int.from_bytes(content[:8], "little")
