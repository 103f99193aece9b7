"""A run as one file that can be given away."""

import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from core.files import open_regular, state_of, written_atomically
from core.messages import Message
from core.runs.contents import METRICS, STATUS, TEXTS, told_status, weights_of, whole_lines
from core.runs.files import CHECKSUMS, about, is_there, read_bytes
from core.runs.run import RunError, is_run

_ATTEMPTS = 100
_CHUNK = 1 << 20
"""Bytes copied at a time."""


def archive_run(path: Path, file: IO[bytes] | Path) -> None:
    """Write a run as a zip archive with one folder in it, named like the run.

    The same content gives the same bytes. A run may be training meanwhile: what is written is the
    run as it was at one moment. A file given by its path is written whole or not at all.

    Raises:
        RunError: The folder is no run, or one of its files is damaged.
    """
    if not isinstance(file, Path):
        _write(path, file)
        return
    with written_atomically(file) as out:
        _write(path, out)


def _write(path: Path, file: IO[bytes]) -> None:
    if not is_run(path):
        raise about(path, Message("there is no such run"))
    top = Path(os.path.abspath(path)).name
    with ExitStack() as stack:
        before = state_of(path / CHECKSUMS)
        weights = _open_weights(path, stack)
        # After the weights, because a training writes the words before the weights that saw them.
        texts = dict(_texts(path))
        if state_of(path / CHECKSUMS) != before:
            # A training has ended meanwhile, and lists what came later.
            texts.pop(CHECKSUMS, None)
        with zipfile.ZipFile(file, "w") as archive:
            for name in sorted(texts):
                member = _member(f"{top}/{name}")
                archive.writestr(member, texts[name], zipfile.ZIP_DEFLATED)
            for name in sorted(weights):
                member = _member(f"{top}/{name}")
                member.file_size = os.fstat(weights[name].fileno()).st_size
                with archive.open(member, "w") as out:
                    shutil.copyfileobj(weights[name], out, _CHUNK)


def _member(name: str) -> zipfile.ZipInfo:
    """Return a file's entry without anything that differs from one writing to the next."""
    member = zipfile.ZipInfo(name)
    member.create_system = 3  # Unix, to which the next line belongs.
    member.external_attr = 0o100644 << 16
    return member


def _texts(path: Path) -> Iterator[tuple[str, bytes]]:
    for name in TEXTS:
        if not is_there(path, name):
            continue
        try:
            content = read_bytes(path, name)
        except RunError:
            if is_there(path, name):
                raise
            continue
        if name == METRICS:
            content = whole_lines(content)
        elif name == STATUS:
            content = told_status(content)
        yield name, content


def _open_weights(path: Path, stack: ExitStack) -> Mapping[str, IO[bytes]]:
    """Open all weights of a run at one moment; once open, they stay, even removed by a training.

    Raises:
        RunError: A training removes them more quickly than they can be opened.
    """
    for _ in range(_ATTEMPTS):
        with ExitStack() as attempt:
            names = weights_of(path)
            try:
                opened = {name: attempt.enter_context(open_regular(path / name)) for name in names}
            except FileNotFoundError:
                continue
            # A folder that changes while it is listed may show neither the old nor the new.
            if weights_of(path) == names:
                stack.push(attempt.pop_all())
                return opened
    raise about(path, Message("its checkpoints change more quickly than they can be read"))
