"""A checkpoint as it lies on disk: a Hugging Face folder, or one GGUF file.

Nothing in it is executed: settings are JSON, weights are safetensors, or a `pytorch_model.bin` that
torch reads as weights only. A path that leads out of the folder is refused.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from ..files import leads_out, open_regular
from ..messages import Message, MessageError, error_text
from ..tokenizer.bpe_json import reason_of

CONFIG = "config.json"
GGUF_ENDING = ".gguf"
LARGEST_FILE = 64 << 20
"""Bytes of a tokenizer's file."""
_LARGEST_JSON = 16 << 20
"""Bytes of a file of settings or of an index."""
MOST_WEIGHTS = 1 << 15
"""The most weights that a model may have by their names; reading takes the square of their time."""
_MOST_NAMES = 4
"""A weight may stand in a file of torch under several names: T5's table of tokens has four."""
_WEIGHTS = {
    "model.safetensors": "model.safetensors.index.json",
    "pytorch_model.bin": "pytorch_model.bin.index.json",
}
"""What a file of all weights is called → what lists the files of several."""


class OpeningError(MessageError, ValueError):
    """A model that cannot be opened; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """Settings and weights as their makers call them."""

    told: Mapping[str, Any]
    """What `config.json` says, or the same of a file that has no such."""
    weights: Mapping[str, Tensor]


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a folder or a GGUF file; safetensors stay on disk until they are used.

    Raises:
        OpeningError: It is neither, damaged, or of a kind that is not read; the message says why.
    """
    if is_gguf(path):
        # Here, for it takes seconds that folders do not need.
        from .gguf import read_gguf

        return Checkpoint(*read_gguf(path))
    if not path.is_dir():
        raise OpeningError("{path} is no folder and no .gguf file", path=path)
    told = read_settings(path / CONFIG)
    return Checkpoint(told, dict(_read_weights(path)))


def is_gguf(path: Path) -> bool:
    """Say whether this is a GGUF file."""
    return path.is_file() and path.suffix.lower() == GGUF_ENDING


def read_bytes(file: Path, most: int = LARGEST_FILE) -> bytes:
    """Return the content of a file of at most `most` bytes.

    Raises:
        OpeningError: It is missing, too large, or a link to somewhere else.
    """
    try:
        with open_regular(inside(file)) as opened:
            content = opened.read(most + 1)
    except FileNotFoundError as error:
        raise OpeningError(
            "there is no {name} in {parent}", name=file.name, parent=file.parent
        ) from error
    except OSError as error:
        raise OpeningError("{file} cannot be read: {why}", file=file, why=error.strerror) from error
    if len(content) > most:
        raise OpeningError("{file} is larger than {n} MiB", file=file, n=most >> 20)
    return content


def read_settings(file: Path) -> Mapping[str, Any]:
    """Return what a JSON file holds.

    Raises:
        OpeningError: It is not there, too large, or no JSON object.
    """
    content = read_bytes(file, _LARGEST_JSON)
    try:
        found = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise OpeningError(
            "{file} cannot be read: {why}", file=file, why=error_text(error)
        ) from error
    if not isinstance(found, dict):
        raise OpeningError(
            "{file} holds {name}, not settings by their names", file=file, name=type(found).__name__
        )
    return found


def weight_files(path: Path) -> list[Path]:
    """Return the files of a folder that hold its weights: safetensors where there are any.

    Raises:
        OpeningError: There are none, or an index of several is damaged or leads elsewhere.
    """
    return [file for file, _names in _places(path)]


def _read_weights(path: Path) -> Iterator[tuple[str, Tensor]]:
    """Yield every weight of a folder."""
    for file, names in _places(path):
        found = read_file(file)
        for name in found if names is None else names:
            if name not in found:
                raise OpeningError(
                    "{file} has no {name}, which the index says it has", file=file, name=name
                )
            yield name, found[name]


def _places(path: Path) -> list[tuple[Path, list[str] | None]]:
    """Return the files of a folder that hold weights, with the names of those in each.

    None stands for all that are there.
    """
    for whole, index in _WEIGHTS.items():
        if (path / whole).is_file():
            return [(inside(path / whole), None)]
        if (path / index).is_file():
            return _shards(path, index)
    names = ", ".join([*_WEIGHTS, *_WEIGHTS.values()])
    raise OpeningError("there are no weights in {path}; known are {names}", path=path, names=names)


def _shards(path: Path, index: str) -> list[tuple[Path, list[str] | None]]:
    places = read_settings(path / index).get("weight_map")
    if not isinstance(places, dict) or not places:
        raise OpeningError("{file} has no weight_map", file=path / index)
    require_few(path / index, len(places))
    # Only names that are there: one with a folder in it could lead anywhere.
    there = {each.name for each in path.iterdir() if each.is_file()}
    shards: dict[str, list[str]] = {}
    for name, place in places.items():
        shard = str(place)
        if shard not in there:
            raise OpeningError(
                "{file} names {shard}, which is no file of the folder",
                file=path / index,
                shard=repr(shard),
            )
        shards.setdefault(shard, []).append(name)
    return [(inside(path / shard), names) for shard, names in shards.items()]


def require_few(file: Path, n: int) -> None:
    """Refuse a file with more weights than any model has.

    Raises:
        OpeningError: There are more.
    """
    if n > MOST_WEIGHTS:
        raise OpeningError(
            "{file} names {n} weights, more than {most}", file=file, n=n, most=MOST_WEIGHTS
        )


def inside(file: Path) -> Path:
    """Return a file, unless it is a link to somewhere else.

    Raises:
        OpeningError: It is.
    """
    if leads_out(file):
        raise OpeningError("{file} leads out of its folder", file=file)
    return file


def unreadable(file: Path, error: Exception) -> OpeningError:
    """Return an error that says why a library cannot read a file of weights."""
    why = reason_of(error)
    if why.startswith("Weights only load failed"):
        # What follows is advice to load it all the same.
        why = Message("it is damaged, or holds something else than weights, which is never loaded")
    elif why.startswith("mmap can only be used"):
        why = Message("it is no file of torch 1.6 or later; save the model as safetensors")
    return OpeningError("{file} cannot be read: {why}", file=file, why=why)


def read_file(file: Path) -> Mapping[str, Tensor]:
    """Return the weights of one file.

    Raises:
        OpeningError: It is damaged, or holds anything else than weights.
    """
    try:
        if file.suffix == ".safetensors":
            return load_file(file)
        found = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
    # A damaged file, or one made to harm, has the libraries raise anything.
    except Exception as error:
        raise unreadable(file, error) from error
    if not isinstance(found, dict) or not all(
        isinstance(name, str) and _is_plain(each) for name, each in found.items()
    ):
        raise OpeningError("{file} holds something else than weights by their names", file=file)
    if sum(each.nbytes for each in found.values()) > _MOST_NAMES * file.stat().st_size:
        raise OpeningError("the weights in {file} are larger than it is", file=file)
    return found


def _is_plain(found: object) -> bool:
    """Say whether this is a tensor of numbers that are there."""
    return (
        isinstance(found, Tensor)
        and found.layout == torch.strided
        and not (found.is_meta or found.is_quantized or found.is_nested)
    )
