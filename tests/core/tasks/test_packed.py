"""Files that gzip packed, and files that are no text."""

import gzip

import pytest

from core.tasks.large import is_large, pairs_in
from core.tasks.layout import CorpusError
from core.tasks.pairs import read_pairs


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"en,fr", mtime=0)[:-9], "a damaged gzip file"),
        (b"\x1f\x8b\x08\x00broken", "a damaged gzip file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a spreadsheet or document, no text"),
        (b"PAR1\x15\x04", "a Parquet file, no text"),
        (b"BZh91AY", "a packed file, no text"),
        (gzip.compress(b"PK\x03\x04...", mtime=0), "a spreadsheet or zip file, no text"),
    ],
)
def test_what_is_no_text_is_named(content, message, tmp_path):
    path = tmp_path / "mine"
    path.write_bytes(content)
    for read in (lambda: read_pairs(content, "mine"), lambda: [*pairs_in([path])]):
        with pytest.raises(CorpusError, match=f"mine: {message}"):
            read()


def test_what_gzip_unpacks_to_is_measured(monkeypatch, tmp_path):
    bomb = gzip.compress(bytes(60 << 20))
    with pytest.raises(CorpusError, match="more than 50 MB"):
        read_pairs(bomb, "mine")
    path = tmp_path / "mine.gz"
    path.write_bytes(bomb)
    assert is_large([path])
