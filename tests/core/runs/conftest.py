import shutil

import pytest


@pytest.fixture
def runs(tmp_path):
    """A folder for runs, empty."""
    path = tmp_path / "runs"
    path.mkdir()
    return path


@pytest.fixture
def run(copy_folder, runs):
    """A copy of a good run, called `mine`, to be moved about."""
    return shutil.copytree(copy_folder, runs / "mine")


@pytest.fixture
def content_of():
    """Return a function that reads all files of a folder."""

    def read(folder):
        files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    return read
