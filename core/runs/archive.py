"""A run as a zip archive: exported, and imported from untrusted sources.

An archive may be broken or meant to harm: it is unpacked into a hidden folder, checked and loaded
once before it gets a name. Files of the process that trains stay behind: the lock, requests, the
log, live weights. So do the tokens of a corpus that is too large for memory: such a run goes on
only where it is.
"""

import errno
import io
import json
import os
import re
import reprlib
import shutil
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from core.files import open_regular, write_atomically, written_atomically
from core.messages import Message, error_text
from core.runs.checkpoint import (
    CHECKPOINTS,
    WEIGHT_FOLDERS,
    newest_checkpoint,
    require_shapes,
    shapes_in,
    weights_in,
)
from core.runs.files import (
    ABOUT,
    METRICS,
    PAIRS,
    STATUS,
    TEXTS,
    RunError,
    about,
    is_run,
    largest,
    read_bytes,
)
from core.runs.folder import checked_name, free_name, incoming_folder
from core.runs.metrics import read_record
from core.runs.run import load_run
from core.runs.settings import read_settings
from core.tasks import TASKS

# As `core.runs.checkpoint.weights_file` writes it, so that a step has one name.
_STEP = "step-([0-9]{8}|[1-9][0-9]{8,11})"
_WEIGHTS = re.compile(rf"({'|'.join(WEIGHT_FOLDERS)})/{_STEP}\.safetensors")
_STATE = re.compile(rf"{CHECKPOINTS}/{_STEP}\.state\.safetensors")
_PUBLIC = {"state": str, "step": int, "message": str}
"""Keys of status.json that are not about a process."""
_ATTEMPTS = 100
LARGEST = 2 << 30
"""Maximum unpacked bytes of an archive."""
_MOST_MEMBERS = 10_000
_CHUNK = 1 << 20
_ENCRYPTED = 0x1 | 0x40 | 0x2000
# The record at the end of an archive begins with these bytes; how many entries there are follows.
_END, _COUNT = b"PK\x05\x06", slice(6, 8)
# What a Mac or Windows adds to an archive of its own accord.
_ADDED = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"}


def belongs(name: str) -> bool:
    """Say whether a file belongs in an archive, by its path in the run's folder."""
    return name in TEXTS or is_weights(name) or _STATE.fullmatch(name) is not None


def is_weights(name: str) -> bool:
    """Say whether a file holds weights, by its path in the run's folder."""
    return _WEIGHTS.fullmatch(name) is not None


def weights_of(path: Path) -> list[str]:
    """List a run's weights, each followed by its optimizer state if there is one."""
    names = []
    for folder in WEIGHT_FOLDERS:
        for file in sorted((path / folder).glob("step-*.safetensors")):
            if is_weights(f"{folder}/{file.name}"):
                names.append(f"{folder}/{file.name}")
                state = file.with_suffix(".state.safetensors")
                # Asked for by itself: it is written first and removed last, so that it is there
                # whenever its weights are.
                if folder == CHECKPOINTS and state.exists():
                    names.append(f"{folder}/{state.name}")
    return names


def _public_status(content: bytes) -> bytes:
    """Return status.json without the process: its id belongs to another machine."""
    try:
        status = json.loads(content)
    except (ValueError, RecursionError):
        status = None
    if not isinstance(status, dict):
        status = {}
    public = {
        name: status[name] for name, kind in _PUBLIC.items() if type(status.get(name)) is kind
    }
    return (json.dumps(public, indent=2, ensure_ascii=False) + "\n").encode()


def archive_run(path: Path, file: IO[bytes] | Path) -> None:
    """Write a run as a zip archive with one folder in it, named like the run.

    Equal content gives equal bytes. If the run is training, the archive is a consistent snapshot. A
    file given by its path is written completely or not at all.

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
        weights = _open_weights(path, stack)
        # After the weights, because a training writes the words before the weights that saw them.
        texts = dict(_texts(path))
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
    """Return a reproducible entry for a file."""
    member = zipfile.ZipInfo(name)
    member.create_system = 3  # Unix, to which the next line belongs.
    member.external_attr = 0o100644 << 16
    return member


def _texts(path: Path) -> Iterator[tuple[str, bytes]]:
    for name in TEXTS:
        if not (path / name).exists():
            continue
        try:
            content = read_bytes(path, name)
        except RunError:
            if (path / name).exists():
                raise
            continue
        if name == METRICS:
            # The last line may be half written.
            content = content[: content.rfind(b"\n") + 1]
        elif name == STATUS:
            content = _public_status(content)
        yield name, content


def _open_weights(path: Path, stack: ExitStack) -> Mapping[str, IO[bytes]]:
    """Open all weights of a run at one moment; open files survive removal by a training."""
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


def unpack_run(
    content: bytes | IO[bytes], parent: Path, name: str | None = None, limit: int = LARGEST
) -> Path:
    """Import a run from an archive into a folder of runs, and return its folder.

    The result has been loaded once, or nothing is left. Files that belong to no run, or only to
    a training process, are skipped.

    Args:
        content: A zip archive, as `archive_run` writes it.
        parent: The folder of runs; made if missing.
        name: Name of the run; by default as in the archive. A number is added if it is taken.
        limit: Maximum unpacked bytes.

    Raises:
        RunError: It is not an archive, damaged, dangerous, too large, or has no usable run.
    """
    with opened_archive(content) as archive:
        top, members = _members(archive)
        new_name = checked_name(top if name is None else name)
        incoming = incoming_folder(parent)
        try:
            _extract(archive, members, incoming, limit)
            check_run(incoming)
            # A temporary folder is its owner's alone; a run is for all who may read the others.
            incoming.chmod(0o755)
            return _take_name(incoming, new_name)
        except BaseException:
            shutil.rmtree(incoming, ignore_errors=True)
            raise


def opened_archive(content: bytes | IO[bytes]) -> zipfile.ZipFile:
    """Open a zip archive.

    Raises:
        RunError: It is not one.
    """
    try:
        return zipfile.ZipFile(io.BytesIO(content) if isinstance(content, bytes) else content)
    except Exception as error:  # zipfile raises anything on damaged files
        raise RunError(
            "this is no zip archive that can be read: {why}", why=error_text(error)
        ) from error


def _members(archive: zipfile.ZipFile) -> tuple[str, dict[str, zipfile.ZipInfo]]:
    """Return the folder's name, and the run's files by their paths in the folder."""
    require_complete(archive)
    files = list(_files(archive))
    tops = {top for top, _, _ in files}
    if len(tops) != 1:
        raise RunError("the archive holds {n} folders, not one with a run", n=len(tops))
    members: dict[str, zipfile.ZipInfo] = {}
    for _, path, info in files:
        if path in members:
            raise RunError("the archive holds {path} twice", path=repr(path))
        if belongs(path):
            members[path] = info
    return tops.pop(), members


def require_complete(archive: zipfile.ZipFile) -> None:
    """Refuse an archive whose number of entries differs from its own count.

    One wrong byte in the list can hide the entries after it, and a run would lose its weights.
    """
    n_entries = len(archive.infolist())
    if n_entries > _MOST_MEMBERS:
        raise RunError("the archive has more than {n} entries", n=_MOST_MEMBERS)
    if archive.fp is None:
        return
    archive.fp.seek(archive.start_dir)
    *_, end = archive.fp.read().rpartition(_END)
    if int.from_bytes(end[_COUNT], "little") != n_entries:
        raise RunError("the archive is damaged: some of its files are missing from its list")


def _files(archive: zipfile.ZipFile) -> Iterator[tuple[str, str, zipfile.ZipInfo]]:
    """Yield each file's folder, its path in the folder, and its entry."""
    for info in archive.infolist():
        top, *rest = parts_of(info)
        if info.is_dir() or {top, *rest[-1:]} & _ADDED:
            continue
        if not rest:
            raise RunError(
                "{path} stands outside of the run's folder in the archive", path=repr(top)
            )
        # Also where it is left out: a damaged name looks like that of an unknown file.
        require_readable(archive, info)
        yield top, "/".join(rest), info


def parts_of(info: zipfile.ZipInfo) -> list[str]:
    """Return the parts of an entry's path.

    Raises:
        RunError: It may lead out of the folder on some system, or is a link.
    """
    # As it is written: `filename` is cut at a NUL.
    path = info.orig_filename.removesuffix("/")
    parts = path.split("/")
    if any(sign in path for sign in "\\:\0") or any(part in ("", ".", "..") for part in parts):
        raise RunError(
            "the archive is not safe: {path} may lead out of the run's folder", path=repr(path)
        )
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise RunError(
            "the archive is not safe: {path} is a link or no plain file", path=repr(path)
        )
    return parts


def require_readable(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    """Refuse an entry that is encrypted, packed in a rare way, or damaged at its beginning."""
    if info.flag_bits & _ENCRYPTED:
        raise RunError("the archive is encrypted")
    # Others may need gigabytes of memory for a few bytes.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise RunError("the archive is packed by another method than zip's usual one, deflate")
    try:
        # Compares what the archive says of the file before it and at its end.
        archive.open(info).close()
    except Exception as error:  # zipfile raises anything on damaged files
        raise _damaged(info, error) from error


def _extract(
    archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], folder: Path, limit: int
) -> None:
    left = limit
    for path, info in members.items():
        room = min(left, limit if path.endswith(".safetensors") else largest(path))
        (folder / path).parent.mkdir(exist_ok=True)
        with (folder / path).open("xb") as file:
            # The sizes in an archive may be wrong; what comes out of it is counted.
            for chunk in chunks_of(archive, info):
                room, left = room - len(chunk), left - len(chunk)
                if room < 0:
                    raise RunError(
                        "the archive is too large: {path} is beyond what a run may be", path=path
                    )
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())


def chunks_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the content of an entry, one mebibyte at a time.

    Raises:
        RunError: It is damaged.
    """
    try:
        with archive.open(info) as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except Exception as error:  # zipfile raises anything on damaged files
        raise _damaged(info, error) from error


def _damaged(info: zipfile.ZipInfo, error: Exception) -> RunError:
    return RunError(
        "the archive is damaged at {path}: {why}", path=repr(info.filename), why=error_text(error)
    )


def _take_name(folder: Path, name: str) -> Path:
    while True:
        target = folder.with_name(free_name(folder.parent, name))
        try:
            os.rename(folder, target)
            return target
        except OSError as error:
            # Another process took the name meanwhile.
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise


def check_run(folder: Path) -> None:
    """Load a run once, compare its weights with run.json, and remove processes from status.json.

    Raises:
        RunError: It is not a usable run; the message does not name the folder.
    """
    status = folder / STATUS
    if status.exists():
        write_atomically(status, _public_status(status.read_bytes()))
    try:
        _check(folder)
    except OSError:
        raise
    except Exception as error:  # a stranger's file may make anything of its readers
        what: int | str = error_text(error) or type(error).__name__
        if isinstance(what, Message):
            what = what.values["why"] if what.template == ABOUT else what
        raise RunError("the archive holds no usable run: {why}", why=what) from error


def _check(folder: Path) -> None:
    settings = read_settings(folder)
    if settings.task not in (*TASKS, PAIRS) and not settings.is_opened:
        task = reprlib.repr(settings.task)
        raise RunError("run.json names a task {task} that there is not", task=task)
    for file in [file for name in WEIGHT_FOLDERS for file in weights_in(folder, name)]:
        require_shapes(f"{file.parent.name}/{file.name}", shapes_in(file), settings.model)
    newest = newest_checkpoint(folder)
    # What comes from elsewhere is whole, or it does not come.
    if damage := load_run(folder, step=None if newest else 0).damage:
        raise RunError(damage)
    # And its figures, which pages read by themselves.
    read_record(folder)
    state = newest.with_suffix(".state.safetensors") if newest else None
    if state and state.exists():
        shapes_in(state)
