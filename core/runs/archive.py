"""A run as a zip archive: exported, and imported from untrusted sources.

An archive may be broken or meant to harm. Only files whose names a run has are unpacked, into a
hidden folder that gets a name once the run in it has been checked and loaded. Files of the process
that trains stay behind, and so do the tokens of a corpus that is too large for memory.
"""

import io
import json
import os
import re
import reprlib
import shutil
import sys
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from ..device import use_one_thread
from ..files import written_atomically
from ..limits import limit_process, run_limited
from ..messages import Message, error_text
from ..tasks import TASKS
from ..tokenizer.bpe_json import reason_of
from .checkpoint import (
    CHECKPOINTS,
    WEIGHT_FOLDERS,
    newest_checkpoint,
    require_shapes,
    shapes_in,
    weights_in,
)
from .files import (
    ABOUT,
    METRICS,
    PAIRS,
    TEXTS,
    RunError,
    about,
    is_run,
    largest,
    read_bytes,
)
from .folder import checked_name, free_name, incoming_folder
from .metrics import read_record
from .run import load_run
from .settings import read_settings

# As `core.runs.checkpoint.weights_file` writes it, so that a step has one name.
_STEP = "step-([0-9]{8}|[1-9][0-9]{8,11})"
_WEIGHTS = re.compile(
    rf"({'|'.join(WEIGHT_FOLDERS)})/{_STEP}\.safetensors|{CHECKPOINTS}/{_STEP}\.state\.safetensors"
)
LARGEST = 2 << 30
"""Maximum unpacked bytes of an archive."""
_SECONDS = 120
"""Of computing, in which an opened model is loaded once."""
_BYTES, _BYTES_A_BYTE = 3 << 30, 6
"""Memory for that: a fixed part, and a part for each byte of its weights."""
_REFUSED = 2
"""Exit status of its process where the output says why."""


def belongs(name: str) -> bool:
    """Say whether a file belongs in an archive, by its path in the run's folder."""
    return name in TEXTS or _WEIGHTS.fullmatch(name) is not None


def archive_run(path: Path, file: Path) -> None:
    """Write a run as a zip archive with one folder in it, named like the run.

    Equal content gives equal bytes. The file is written completely or not at all.

    Raises:
        RunError: The folder is no run, or one of its files cannot be read.
        OSError: The archive cannot be written, or a training replaced its checkpoint meanwhile.
    """
    if not is_run(path):
        raise about(path, Message("there is no such run"))
    top = Path(os.path.abspath(path)).name
    with (
        ExitStack() as stack,
        written_atomically(file) as out,
        zipfile.ZipFile(out, "w") as archive,
    ):
        # Open files survive removal by a training, which writes the words before the weights.
        weights = {name: stack.enter_context((path / name).open("rb")) for name in _weights(path)}
        for name in TEXTS:
            if (path / name).exists():
                content = read_bytes(path, name)
                if name == METRICS:
                    # The last line may be half written.
                    content = content[: content.rfind(b"\n") + 1]
                archive.writestr(zipfile.ZipInfo(f"{top}/{name}"), content, zipfile.ZIP_DEFLATED)
        for name, opened in weights.items():
            member = zipfile.ZipInfo(f"{top}/{name}")
            member.file_size = os.fstat(opened.fileno()).st_size
            with archive.open(member, "w") as entry:
                shutil.copyfileobj(opened, entry, 1 << 20)


def _weights(path: Path) -> list[str]:
    """List a run's weights, each followed by its optimizer state if there is one."""
    files = [file for folder in WEIGHT_FOLDERS for file in weights_in(path, folder)]
    both = [each for file in files for each in (file, file.with_suffix(".state.safetensors"))]
    names = [f"{file.parent.name}/{file.name}" for file in both if file.exists()]
    return list(filter(belongs, names))


def unpack_run(content: bytes | IO[bytes], parent: Path, limit: int = LARGEST) -> Path:
    """Import a run from an archive into a folder of runs, and return its folder.

    It has the name in the archive, and a number if that is taken. The result has been loaded once,
    or nothing is left. Other files are skipped.

    Args:
        content: A zip archive, as `archive_run` writes it.
        parent: The folder of runs; made if missing.
        limit: Maximum unpacked bytes.

    Raises:
        RunError: It is not an archive, damaged, too large, or has no usable run.
    """
    with opened_archive(content) as archive:
        top, members = _members(archive, limit)
        new_name = checked_name(top)
        with incoming_folder(parent) as incoming:
            for path, info in members.items():
                (incoming / path).parent.mkdir(exist_ok=True)
                extract(archive, info, incoming / path)
            _check_run(incoming)
            # A temporary folder is its owner's alone; a run is for all who may read the others.
            incoming.chmod(0o755)
            return incoming.rename(parent / free_name(parent, new_name))


def opened_archive(content: bytes | IO[bytes]) -> zipfile.ZipFile:
    """Open a zip archive.

    Raises:
        RunError: It is not one.
    """
    try:
        return zipfile.ZipFile(io.BytesIO(content) if isinstance(content, bytes) else content)
    except Exception as error:  # zipfile raises anything on damaged files
        raise RunError(
            "this is no zip archive that can be read: {why}", why=reason_of(error)
        ) from error


def _members(archive: zipfile.ZipFile, limit: int) -> tuple[str, dict[str, zipfile.ZipInfo]]:
    """Return the folder's name, and the run's files by their paths in the folder."""
    parts = [(*info.filename.partition("/")[::2], info) for info in archive.infolist()]
    members = {path: info for _, path, info in parts if belongs(path)}
    tops = {top for top, path, _ in parts if belongs(path)}
    if len(tops) != 1:
        raise RunError("the archive holds {n} folders, not one with a run", n=len(tops))
    for path, info in members.items():
        limit -= info.file_size
        most = limit if path.endswith(".safetensors") else largest(path) - info.file_size
        if min(limit, most) < 0:
            raise RunError(
                "the archive is too large: {path} is beyond what a run may be", path=path
            )
    return tops.pop(), members


def extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, file: Path) -> None:
    """Write an entry to a new file: not more bytes than `file_size`, where zipfile stops.

    Raises:
        RunError: It is damaged, encrypted, or packed in a rare way.
        OSError: The file cannot be written.
    """
    # Other methods may need gigabytes of memory for a few bytes.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise RunError("the archive is packed by another method than zip's usual one, deflate")
    with file.open("xb") as out:
        try:
            with archive.open(info) as entry:
                shutil.copyfileobj(entry, out, 1 << 20)
        except OSError:
            raise
        except Exception as error:  # zipfile raises anything on damaged files
            raise RunError(
                "the archive is damaged at {path}: {why}",
                path=repr(info.filename[-200:]),
                why=reason_of(error),
            ) from error


def _check_run(folder: Path) -> None:
    """Load a run once, and compare all its weights with run.json.

    Raises:
        RunError: It is not a usable run; the message does not name the folder.
    """
    try:
        if read_settings(folder).model.architecture:
            _load_elsewhere(folder)
        else:
            _load_once(folder)
    except OSError:
        raise
    except Exception as error:  # a stranger's file may make anything of its readers
        raise RunError("the archive holds no usable run: {why}", why=_why(error)) from error


def _why(error: Exception) -> Message:
    """Return why a run cannot be loaded, without its folder."""
    what: int | str = error_text(error) or type(error).__name__
    if isinstance(what, Message) and what.template == ABOUT:
        what = what.values["why"]
    return what if isinstance(what, Message) else Message("{why}", why=what)


def _load_once(folder: Path) -> None:
    """Load a run, and all that pages read of it by themselves."""
    settings = read_settings(folder)
    if settings.task not in (*TASKS, PAIRS) and not settings.is_opened:
        task = reprlib.repr(settings.task)
        raise RunError("run.json names a task {task} that there is not", task=task)
    for file in [file for name in WEIGHT_FOLDERS for file in weights_in(folder, name)]:
        if not settings.model.architecture:
            require_shapes(f"{file.parent.name}/{file.name}", shapes_in(file), settings.model)
    load_run(folder, step=None if newest_checkpoint(folder) else 0)
    # And its figures, which pages read by themselves.
    read_record(folder)


def _load_elsewhere(folder: Path) -> None:
    """Load a run in a process with limits: another library reads it, and takes what it says.

    Raises:
        RunError: It cannot be loaded, or takes too much.
    """
    done = run_limited("core.runs.archive", str(folder.resolve()))
    if done.returncode == _REFUSED:
        template, values = json.loads(done.stdout)
        raise RunError(template, **values)
    if done.returncode:
        raise RunError("loading it takes more memory or time than a model of its size needs")


def main(folder: Path) -> int:
    """Load the run in a folder once, in a process that is limited."""
    size = sum(file.stat().st_size for name in WEIGHT_FOLDERS for file in weights_in(folder, name))
    use_one_thread()
    limit_process(_BYTES + _BYTES_A_BYTE * size, _SECONDS)
    try:
        _load_once(folder)
    except Exception as error:  # a stranger's file may make anything of its readers
        why = _why(error)
        sys.stdout.write(json.dumps((why.template, dict(why.values))))
        return _REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
