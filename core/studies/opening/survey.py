"""What a model needs, said before it is opened: read from its settings and the sizes of weights."""

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open

from ...library.checkpoint import (
    CONFIG,
    OpeningError,
    is_gguf,
    read_file,
    read_settings,
    require_few,
    weight_files,
)
from ...limits import limit_process, run_limited
from ...messages import N_, error_text, message_from_json, message_to_json
from ...tokenizer.bpe_json import reason_of

BYTES_OF_A_WEIGHT = 4
"""They are computed with in single precision."""
NOT_COUNTED = N_(
    "weights of its files that nothing here computes with: a head for another task, tables of "
    "positions that are computed, a matrix that is there twice"
)
"""Why a model has fewer parameters than its files have weights."""
LARGEST_MODEL = 6 << 30
"""Bytes of memory that a model may take."""
_BYTES, _BYTES_A_BYTE, _SECONDS = 2 << 30, 2, 60
"""For reading a file of torch once: memory, a fixed part and one for each byte; and time."""
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
        OpeningError: It holds no model that is known, it is damaged, or it is too large.
    """
    if is_gguf(path):
        found = _of_gguf(path)
    else:
        label, files = label_of(read_settings(path / CONFIG)), weight_files(path)
        n_stored = sum(each.stat().st_size for each in files)
        found = Survey(label, sum(map(_n_weights, files)), n_stored)
    if found.n_bytes > LARGEST_MODEL:
        raise OpeningError(
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
        OpeningError: There is none that can be opened.
    """
    # Here, for it takes seconds that other pages do not need.
    from ...library.reading import library_class

    return library_class(told).label


def _of_gguf(path: Path) -> Survey:
    # Here, for it takes seconds that other pages do not need.
    from ...library.gguf import header_of

    header = header_of(path)
    n_weights = sum(math.prod(each.shape) for each in header.tensors)
    return Survey(header.architecture, n_weights, n_weights * BYTES_OF_A_WEIGHT)


def _n_weights(file: Path) -> int:
    """Return how many numbers a file of weights holds, without keeping them."""
    if file.suffix != ".safetensors":
        return _n_elsewhere(file)
    try:
        with safe_open(file, framework="pt") as tensors:
            names = tensors.keys()
            require_few(file, len(names))
            shapes = [tensors.get_slice(name).get_shape() for name in names]
        return sum(torch.Size(shape).numel() for shape in shapes)
    except SafetensorError as error:
        raise OpeningError(
            "{file} is damaged or no safetensors file: {why}", file=file, why=reason_of(error)
        ) from error


def _n_elsewhere(file: Path) -> int:
    """Count the numbers in a file of torch in a process with limits.

    Even where only weights are read, a pickle may ask for any memory, or crash torch.
    """
    done = run_limited("core.studies.opening.survey", str(file.absolute()))
    if done.returncode:
        raise OpeningError(
            "{file} cannot be read: it takes more memory or time than weights do", file=file
        )
    found = json.loads(done.stdout)
    if "n" not in found:
        raise OpeningError(message_from_json(found))
    return int(found["n"])


def main(file: Path) -> None:
    """Write how many numbers a file of torch holds, or why it cannot be read."""
    limit_process(_BYTES + _BYTES_A_BYTE * file.stat().st_size, _SECONDS)
    try:
        found: dict[str, Any] = {"n": sum(each.numel() for each in read_file(file).values())}
    except OpeningError as error:
        found = message_to_json(error_text(error))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
