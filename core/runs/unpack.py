"""A run out of an archive that may come from a stranger, and may be broken or meant to harm."""

import errno
import io
import os
import shutil
import stat
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from core.messages import said
from core.runs.checks import check_run
from core.runs.contents import belongs
from core.runs.files import largest
from core.runs.incoming import incoming_folder
from core.runs.names import checked_name, free_name
from core.runs.run import RunError

LARGEST = 2 << 30
"""Bytes that an archive may hold once it is unpacked."""
_MOST_MEMBERS = 10_000
_CHUNK = 1 << 20
_ENCRYPTED = 0x1 | 0x40 | 0x2000
# The record at the end of an archive begins with these bytes; how many entries there are follows.
_END, _COUNT = b"PK\x05\x06", slice(6, 8)
# What a Mac or Windows adds to an archive of its own accord.
_ADDED = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"}


def unpack_run(
    content: bytes | IO[bytes], parent: Path, name: str | None = None, limit: int = LARGEST
) -> Path:
    """Take a run from an archive into a folder of runs, and return its own folder there.

    It is there whole and has been loaded once, or nothing is there. Files that belong to no run,
    or only to a process that trained it, are left out.

    Args:
        content: A zip archive, as `archive_run` writes it.
        parent: Where the run goes; made if missing.
        name: What the run shall be called; without it, as in the archive. A number is added
            where the name is taken.
        limit: Bytes that the archive may hold unpacked.

    Raises:
        RunError: It is no archive, damaged, dangerous, too large, or holds no usable run.
    """
    with opened_archive(content) as archive:
        top, members = _members(archive)
        wanted = checked_name(top if name is None else name)
        incoming = incoming_folder(parent)
        try:
            _extract(archive, members, incoming, limit)
            check_run(incoming)
            # A temporary folder is its owner's alone; a run is for whoever may read the others.
            incoming.chmod(0o755)
            return _place(incoming, wanted)
        except BaseException:
            shutil.rmtree(incoming, ignore_errors=True)
            raise


def opened_archive(content: bytes | IO[bytes]) -> zipfile.ZipFile:
    """Return a zip archive that can be read.

    Raises:
        RunError: It is none.
    """
    try:
        return zipfile.ZipFile(io.BytesIO(content) if isinstance(content, bytes) else content)
    except Exception as error:  # zipfile lets out whatever a damaged file makes of it
        raise RunError("this is no zip archive that can be read: {why}", why=said(error)) from error


def _members(archive: zipfile.ZipFile) -> tuple[str, dict[str, zipfile.ZipInfo]]:
    """Return the folder's name, and its files by their paths in there.

    Raises:
        RunError: There is not one folder, or something that no archive of a run holds.
    """
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
    """Refuse an archive whose list of files is longer or shorter than it says itself.

    One wrong byte in there can hide the entries after it, and a run would lose its weights.
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
    """Yield each file's folder, its path in there, and its entry.

    Raises:
        RunError: A file cannot be read, may do harm, or is in no folder.
    """
    for info in archive.infolist():
        top, *rest = parts_of(info)
        if info.is_dir() or {top, *rest[-1:]} & _ADDED:
            continue
        if not rest:
            raise RunError(
                "{path} stands outside of the run's folder in the archive", path=repr(top)
            )
        # Also where it is left out: a damaged name looks like that of a file that nobody knows.
        require_readable(archive, info)
        yield top, "/".join(rest), info


def parts_of(info: zipfile.ZipInfo) -> list[str]:
    """Return the parts of an entry's path.

    Raises:
        RunError: It leads, or may lead on some system, out of the folder, or is a link.
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
    """Refuse an entry that is encrypted, packed in a rare way, or damaged at its beginning.

    Raises:
        RunError: It is.
    """
    if info.flag_bits & _ENCRYPTED:
        raise RunError("the archive is encrypted")
    # Others may need gigabytes of memory for a few bytes.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise RunError("the archive is packed by another method than zip's usual one, deflate")
    try:
        # Compares what the archive says of the file before it and at its end.
        archive.open(info).close()
    except Exception as error:  # zipfile lets out whatever a damaged file makes of it
        raise _damaged(info, error) from error


def _extract(
    archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], folder: Path, limit: int
) -> None:
    left = limit
    for path, info in members.items():
        room = min(left, limit if path.endswith(".safetensors") else largest(path))
        (folder / path).parent.mkdir(exist_ok=True)
        with (folder / path).open("xb") as file:
            # What the archive says of its sizes may be a lie; what comes out of it is counted.
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
    """Yield what an entry holds, a mebibyte at a time.

    Raises:
        RunError: It is damaged.
    """
    try:
        with archive.open(info) as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except Exception as error:  # zipfile lets out whatever a damaged file makes of it
        raise _damaged(info, error) from error


def _damaged(info: zipfile.ZipInfo, error: Exception) -> RunError:
    return RunError(
        "the archive is damaged at {path}: {why}", path=repr(info.filename), why=said(error)
    )


def _place(folder: Path, wanted: str) -> Path:
    while True:
        target = folder.with_name(free_name(folder.parent, wanted))
        try:
            os.rename(folder, target)
            return target
        except OSError as error:
            # Somebody took the name meanwhile.
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
