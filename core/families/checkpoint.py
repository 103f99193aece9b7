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

from core.config import RotaryPairs
from core.families.family import FamilyError
from core.families.gguf_file import read_gguf

CONFIG = "config.json"
_LARGEST_JSON = 16 << 20
"""Bytes of a file of settings or of an index."""
_WHOLE = {"model.safetensors": "safetensors", "pytorch_model.bin": "torch"}
_SHARDED = {
    "model.safetensors.index.json": "safetensors",
    "pytorch_model.bin.index.json": "torch",
}


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """Settings and weights as their makers call them."""

    told: Mapping[str, Any]
    """What `config.json` says, or the same of a GGUF file."""
    weights: Mapping[str, Tensor]
    rotary_pairs: RotaryPairs = "halves"
    """Which dimensions turn together in this kind of file."""


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a folder or a GGUF file; safetensors stay on disk until they are used.

    Raises:
        FamilyError: It is neither, damaged, or of a kind that is not read; the message says why.
    """
    if path.is_file() and path.suffix.lower() == ".gguf":
        told, weights = read_gguf(path)
        return Checkpoint(told, weights, "neighbours")
    if not path.is_dir():
        raise FamilyError(f"{path} is no folder and no .gguf file")
    told = _read_json(path / CONFIG)
    return Checkpoint(told, dict(_read_weights(path)))


def _read_json(file: Path) -> Mapping[str, Any]:
    """Return what a JSON file holds.

    Raises:
        FamilyError: It is not there, too large, or no JSON object.
    """
    try:
        if file.stat().st_size > _LARGEST_JSON:
            raise FamilyError(f"{file} is larger than {_LARGEST_JSON >> 20} MiB")
        found = json.loads(file.read_text("utf-8"))
    except FileNotFoundError as error:
        raise FamilyError(f"there is no {file.name} in {file.parent}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise FamilyError(f"{file} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise FamilyError(f"{file} holds {type(found).__name__}, not settings by their names")
    return found


def _read_weights(path: Path) -> Iterator[tuple[str, Tensor]]:
    """Yield every weight of a folder: safetensors where there are any."""
    for name, kind in _WHOLE.items():
        if (path / name).is_file():
            yield from _read_file(path / name, kind).items()
            return
        index = next(each for each, of in _SHARDED.items() if of == kind)
        if (path / index).is_file():
            yield from _read_shards(path, index, kind)
            return
    names = ", ".join([*_WHOLE, *_SHARDED])
    raise FamilyError(f"there are no weights in {path}; known are {names}")


def _read_shards(path: Path, index: str, kind: str) -> Iterator[tuple[str, Tensor]]:
    places = _read_json(path / index).get("weight_map")
    if not isinstance(places, dict) or not places:
        raise FamilyError(f"{path / index} has no weight_map")
    for shard in dict.fromkeys(map(str, places.values())):
        # A name with a folder in it could lead anywhere.
        if PurePosixPath(shard).name != shard or "\\" in shard or not (path / shard).is_file():
            raise FamilyError(f"{path / index} names {shard!r}, which is no file of the folder")
        found = _read_file(path / shard, kind)
        for name, place in places.items():
            if place == shard:
                if name not in found:
                    raise FamilyError(f"{path / shard} has no {name}, which the index says it has")
                yield name, found[name]


def _read_file(file: Path, kind: str) -> Mapping[str, Tensor]:
    """Return the weights of one file.

    Raises:
        FamilyError: It is damaged, or holds anything else than weights.
    """
    if file.is_symlink() and not file.resolve().is_relative_to(file.parent.resolve()):
        raise FamilyError(f"{file} leads out of its folder")
    try:
        if kind == "safetensors":
            return load_file(file)
        found = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
    # A damaged file, or one made to harm, has the libraries raise anything.
    except Exception as error:
        why = str(error).strip().partition("\n")[0]
        raise FamilyError(f"{file} cannot be read: {why}") from error
    if not isinstance(found, dict) or not all(isinstance(each, Tensor) for each in found.values()):
        raise FamilyError(f"{file} holds something else than weights by their names")
    return found
