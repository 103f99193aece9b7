"""What a model needs, said before it is opened: read from its settings and the sizes of weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open

from ...families import CONFIG, FamilyError, family_of, is_converted
from ...families.checkpoint import GGUF_ENDING, read_settings, unreadable, weight_files
from ...families.gguf_file import GGUFReader
from ...messages import N_, error_text

BYTES_OF_A_WEIGHT = 4
"""They are computed with in single precision."""
NOT_COUNTED = N_(
    "weights of its files that nothing here computes with: a pooler, tables of positions that are "
    "computed, a matrix that is there twice"
)
"""Why a model has fewer parameters than its files have weights."""
LARGEST_MODEL = 6 << 30
"""Bytes of memory that a model may take."""
BYTES_A_SECOND = 100e6
"""What a disk of ten years ago writes: opening takes no longer than `Survey.seconds`."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of a model without its weights."""

    family: str
    """What people call it."""
    n_weights: int
    """In its files; one that is there twice counts twice."""
    n_stored: int
    """Bytes that it takes on the disk, in the precision of its files."""

    @property
    def n_bytes(self) -> int:
        """Bytes that it takes in memory where all of it is used."""
        return self.n_weights * BYTES_OF_A_WEIGHT

    @property
    def seconds(self) -> float:
        """How long opening it takes at most, on a disk that writes `BYTES_A_SECOND`."""
        return 1 + self.n_stored / BYTES_A_SECOND


def survey(path: Path) -> Survey:
    """Say what a folder or a GGUF file holds.

    Raises:
        FamilyError: It holds no model that is known, it is damaged, or it is too large.
    """
    if path.is_file() and path.suffix.lower() == GGUF_ENDING:
        found = _of_gguf(path)
    else:
        told, files = read_settings(path / CONFIG), weight_files(path)
        n_weights, n_stored = (
            sum(map(_n_weights, files)),
            sum(each.stat().st_size for each in files),
        )
        if is_converted(told):
            n_stored = n_weights * BYTES_OF_A_WEIGHT
        found = Survey(label_of(told), n_weights, n_stored)
    if found.n_bytes > LARGEST_MODEL:
        raise FamilyError(
            "this {family} has {n} billion weights, which take {bytes} GB of "
            "memory; at most {most} GB are opened",
            family=found.family,
            n=f"{found.n_weights / 1e9:.1f}",
            bytes=f"{found.n_bytes / 1e9:.0f}",
            most=f"{LARGEST_MODEL / 1e9:.0f}",
        )
    return found


def label_of(told: Mapping[str, Any]) -> str:
    """Return what people call the model of a `config.json`.

    Raises:
        FamilyError: There is none that can be opened.
    """
    if is_converted(told):
        return family_of(told.get("model_type")).label
    # Here, for it takes seconds that other models do not need.
    from ...library.reading import library_class

    return library_class(told).label


def _of_gguf(path: Path) -> Survey:
    try:
        reader = GGUFReader(path)
        architecture = reader.fields["general.architecture"].contents()
        n_weights = sum(int(tensor.n_elements) for tensor in reader.tensors)
    # A damaged file has the library read anything as anything.
    except Exception as error:
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        raise FamilyError("{path} cannot be read as GGUF: {why}", path=path, why=why) from error
    return Survey(family_of(architecture).label, n_weights, n_weights * BYTES_OF_A_WEIGHT)


def _n_weights(file: Path) -> int:
    """Return how many numbers a file of weights holds, without reading them."""
    try:
        if file.suffix == ".safetensors":
            with safe_open(file, framework="pt") as tensors:
                shapes = [tensors.get_slice(name).get_shape() for name in tensors.keys()]  # noqa: SIM118
            return sum(torch.Size(shape).numel() for shape in shapes)
        found = torch.load(file, map_location="meta", weights_only=True, mmap=True)
        return sum(tensor.numel() for tensor in found.values())
    except SafetensorError as error:
        raise FamilyError(
            "{file} is damaged or no safetensors file: {why}", file=file, why=error_text(error)
        ) from error
    # A damaged file, or one made to harm, has torch raise anything.
    except Exception as error:
        raise unreadable(file, error) from error
