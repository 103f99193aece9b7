"""Runs as things that are kept, renamed, given away and taken in.

names.py     how a run may be called
folders.py   renaming and deleting
contents.py  what of a run's folder is given away
archive.py   a run as one file
unpack.py    a run out of a stranger's archive
checks.py    whether what a stranger's archive holds is a run, and does no harm
"""

from core.library.archive import archive_run, archive_size
from core.library.folders import delete_run, rename_run
from core.library.names import checked_name, free_name
from core.library.unpack import unpack_run

__all__ = [
    "archive_run",
    "archive_size",
    "checked_name",
    "delete_run",
    "free_name",
    "rename_run",
    "unpack_run",
]
