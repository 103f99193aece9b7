"""Files of pairs as they come: packed by gzip, or of a form that is no text."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from core.messages import N_, Message
from core.tasks.layout import CorpusError

_ZIPPED = b"\x1f\x8b"
_BINARY = (
    (b"PK\x03\x04", N_("a spreadsheet or zip file")),
    (b"\xd0\xcf\x11\xe0", N_("a spreadsheet or document")),
    (b"PAR1", N_("a Parquet file")),
    (b"BZh", N_("a packed file")),
    (b"\xfd7zXZ", N_("a packed file")),
    (b"\x28\xb5\x2f\xfd", N_("a packed file")),
    (b"7z\xbc\xaf", N_("a packed file")),
)


@contextmanager
def unzipped(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Yield a file as it was before gzip packed it, if that was done.

    Raises:
        CorpusError: It is damaged, while it is read.
    """
    begin = file.read(len(_ZIPPED))
    file.seek(0)
    try:
        # A `GzipFile` reads as other files do.
        yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if begin == _ZIPPED else file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise CorpusError("{name}: a damaged gzip file: {why}", name=name, why=error) from error


def require_text(begin: bytes, name: str) -> None:
    """Refuse a file by the first bytes of what is no text."""
    for mark, what in _BINARY:
        if begin.startswith(mark):
            said = "{name}: {what}, no text; save it as CSV in UTF-8"
            raise CorpusError(said, name=name, what=Message(what))
