"""Whether a folder that came from a stranger is a run, and loading it does no harm.

What run.json says of the model is compared with the weights before anything is made from it: a
few digits there would otherwise fill the memory.
"""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open

from core.config import ModelConfig
from core.files import write_atomically
from core.messages import Message, said
from core.model.building import outline
from core.runs.checkpoint import SCALE, no_safetensors
from core.runs.checksums import check_listed
from core.runs.contents import STATUS, told_status
from core.runs.files import ABOUT
from core.runs.records import read_record
from core.runs.run import PAIRS, RunError, load_run, read_settings
from core.runs.weights import WEIGHT_FOLDERS, newest_checkpoint, weights_in
from core.tasks import TASKS

_MOST_LAYERS = 1000
_LARGEST_TABLE = 1 << 24
"""Numbers in a table of positions, which is computed and therefore in no file."""
_LARGEST_FRESH = 1 << 28
"""Weights of a model that was never trained, of which there is no file either."""

Shapes = Mapping[str, tuple[int, ...]]


def check_run(folder: Path) -> None:
    """Load a run once, and compare all its weights with what run.json says of them.

    What status.json says of somebody else's processes is taken out of it.

    Raises:
        RunError: It is no usable run; the message does not name the folder.
    """
    status = folder / STATUS
    if status.exists():
        write_atomically(status, told_status(status.read_bytes()))
    try:
        _check(folder)
    except OSError:
        raise
    except Exception as error:  # a stranger's file may make anything of its readers
        what: int | str = said(error) or type(error).__name__
        if isinstance(what, Message):
            what = what.values["why"] if what.template == ABOUT else what
        raise RunError("the archive holds no usable run: {why}", why=what) from error


def _check(folder: Path) -> None:
    check_listed(folder)
    settings = read_settings(folder)
    if settings.task not in (*TASKS, PAIRS) and not settings.is_opened:
        raise RunError("run.json names a task {task} that there is not", task=repr(settings.task))
    wanted = _shapes(settings.model)
    weights = [file for name in WEIGHT_FOLDERS for file in weights_in(folder, name)]
    for file in weights:
        _compare(f"{file.parent.name}/{file.name}", _shapes_in(file), wanted)
    if not weights and sum(map(_size, wanted.values())) > _LARGEST_FRESH:
        raise RunError("run.json speaks of a model too large to be made from nothing")
    newest = newest_checkpoint(folder)
    # What comes from elsewhere is whole, or it does not come.
    if damage := load_run(folder, step=None if newest else 0).damage:
        raise RunError(damage)
    # And its figures, which pages read by themselves.
    read_record(folder)
    state = newest.with_suffix(".state.safetensors") if newest else None
    if state and state.exists():
        _shapes_in(state)


def _shapes(model: ModelConfig) -> Shapes:
    """Return the weights that a model has, without making them.

    Raises:
        RunError: Even to list them, or what is computed beside them, would be too much.
    """
    n_layers = model.n_encoder_layers + model.n_decoder_layers
    if n_layers > _MOST_LAYERS or model.max_positions * model.d_model > _LARGEST_TABLE:
        raise RunError(
            "run.json speaks of {n} layers and {positions} positions, which are too many",
            n=n_layers,
            positions=model.max_positions,
        )
    return {name: tuple(tensor.shape) for name, tensor in outline(model).saved().items()}


def _shapes_in(file: Path) -> Shapes:
    try:
        with safe_open(file, framework="pt") as tensors:
            names = tensors.keys()
            return {name: tuple(tensors.get_slice(name).get_shape()) for name in names}
    except SafetensorError as error:
        raise RunError(said(no_safetensors(file.name, error))) from error


def _compare(file: str, found: Shapes, wanted: Shapes) -> None:
    """Refuse weights of other sizes than the model's.

    Raises:
        RunError: A weight is missing, too much, or of another shape.
    """
    scales = {
        name + SCALE: (*shape[:-1], 1) for name, shape in wanted.items() if name + SCALE in found
    }
    allowed = {**wanted, **scales}
    differing = sorted(set(found) ^ set(allowed)) or sorted(
        name for name in allowed if found[name] != allowed[name]
    )
    if differing:
        raise RunError(
            "{name} holds other weights than run.json describes: {weights}",
            name=file,
            weights=", ".join(differing[:3]),
        )


def _size(shape: tuple[int, ...]) -> int:
    return torch.Size(shape).numel()
