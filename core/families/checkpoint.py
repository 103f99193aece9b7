"""A checkpoint as it lies on disk: a Hugging Face folder, or one GGUF file.

Nothing in it is executed: settings are JSON, weights are safetensors, or a `pytorch_model.bin` that
torch reads as weights only. A path that leads out of the folder is refused.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from ..config.choices import RotaryPairs
from ..files import leads_out, open_regular
from ..messages import Message, error_text
from .family import FamilyError
from .gguf_file import read_gguf

CONFIG = "config.json"
GGUF_ENDING = ".gguf"
_LARGEST_JSON = 16 << 20
"""Bytes of a file of settings or of an index."""
_WEIGHTS = {
    "model.safetensors": "model.safetensors.index.json",
    "pytorch_model.bin": "pytorch_model.bin.index.json",
}
"""What a file of all weights is called → what lists the files of several."""


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """Settings and weights as their makers call them."""

    told: Mapping[str, Any]
    """What `config.json` says, or the same of a file that has no such."""
    weights: Mapping[str, Tensor]
    rotary_pairs: RotaryPairs = "halves"
    """Which dimensions turn together in this kind of file."""


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a folder or a GGUF file; safetensors stay on disk until they are used.

    Raises:
        FamilyError: It is neither, damaged, or of a kind that is not read; the message says why.
    """
    if path.is_file() and path.suffix.lower() == GGUF_ENDING:
        told, weights = read_gguf(path)
        return Checkpoint(told, weights, "neighbours")
    if not path.is_dir():
        raise FamilyError("{path} is no folder and no .gguf file", path=path)
    told = read_settings(path / CONFIG)
    return Checkpoint(told, dict(_read_weights(path)))


def read_settings(file: Path) -> Mapping[str, Any]:
    """Return what a JSON file holds.

    Raises:
        FamilyError: It is not there, too large, or no JSON object.
    """
    try:
        with open_regular(file) as opened:
            content = opened.read(_LARGEST_JSON + 1)
        if len(content) > _LARGEST_JSON:
            raise FamilyError("{file} is larger than {n} MiB", file=file, n=_LARGEST_JSON >> 20)
        found = json.loads(content.decode("utf-8"))
    except FileNotFoundError as error:
        raise FamilyError(
            "there is no {name} in {parent}", name=file.name, parent=file.parent
        ) from error
    except FamilyError:
        raise
    except OSError as error:
        raise FamilyError("{file} cannot be read: {why}", file=file, why=error.strerror) from error
    except (ValueError, RecursionError) as error:
        raise FamilyError(
            "{file} cannot be read: {why}", file=file, why=error_text(error)
        ) from error
    if not isinstance(found, dict):
        raise FamilyError(
            "{file} holds {name}, not settings by their names", file=file, name=type(found).__name__
        )
    return found


def weight_files(path: Path) -> list[Path]:
    """Return the files of a folder that hold its weights: safetensors where there are any.

    Raises:
        FamilyError: There are none, or an index of several is damaged or leads elsewhere.
    """
    return [file for file, _names in _places(path)]


def _read_weights(path: Path) -> Iterator[tuple[str, Tensor]]:
    """Yield every weight of a folder."""
    for file, names in _places(path):
        found = _read_file(file)
        for name in found if names is None else names:
            if name not in found:
                raise FamilyError(
                    "{file} has no {name}, which the index says it has", file=file, name=name
                )
            yield name, found[name]


def _places(path: Path) -> list[tuple[Path, list[str] | None]]:
    """Return the files of a folder that hold weights, with the names of those in each.

    None stands for all that are there.
    """
    for whole, index in _WEIGHTS.items():
        if (path / whole).is_file():
            return [(_inside(path / whole), None)]
        if (path / index).is_file():
            return _shards(path, index)
    names = ", ".join([*_WEIGHTS, *_WEIGHTS.values()])
    raise FamilyError("there are no weights in {path}; known are {names}", path=path, names=names)


def _shards(path: Path, index: str) -> list[tuple[Path, list[str] | None]]:
    places = read_settings(path / index).get("weight_map")
    if not isinstance(places, dict) or not places:
        raise FamilyError("{file} has no weight_map", file=path / index)
    shards: dict[str, list[str] | None] = {}
    for name, place in places.items():
        shard = str(place)
        # A name with a folder in it could lead anywhere.
        if PurePosixPath(shard).name != shard or "\\" in shard or not (path / shard).is_file():
            raise FamilyError(
                "{file} names {shard}, which is no file of the folder",
                file=path / index,
                shard=repr(shard),
            )
        shards[shard] = [*(shards.get(shard) or ()), name]
    return [(_inside(path / shard), names) for shard, names in shards.items()]


def _inside(file: Path) -> Path:
    """Return a file, unless it is a link to somewhere else.

    Raises:
        FamilyError: It is.
    """
    if leads_out(file):
        raise FamilyError("{file} leads out of its folder", file=file)
    return file


def unreadable(file: Path, error: Exception) -> FamilyError:
    """Return an error that says why a library cannot read a file of weights."""
    why = str(error).strip().partition("\n")[0] or type(error).__name__
    if why.startswith("Weights only load failed"):
        # What follows is advice to load it all the same.
        why = Message("it is damaged, or holds something else than weights, which is never loaded")
    elif why.startswith("mmap can only be used"):
        why = Message("it is no file of torch 1.6 or later; save the model as safetensors")
    return FamilyError("{file} cannot be read: {why}", file=file, why=why)


def _read_file(file: Path) -> Mapping[str, Tensor]:
    """Return the weights of one file.

    Raises:
        FamilyError: It is damaged, or holds anything else than weights.
    """
    try:
        if file.suffix == ".safetensors":
            return load_file(file)
        found = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
    # A damaged file, or one made to harm, has the libraries raise anything.
    except Exception as error:
        raise unreadable(file, error) from error
    if not isinstance(found, dict) or not all(
        isinstance(name, str) and isinstance(each, Tensor) and each.layout == torch.strided
        for name, each in found.items()
    ):
        raise FamilyError("{file} holds something else than weights by their names", file=file)
    return found
