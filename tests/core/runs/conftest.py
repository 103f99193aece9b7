import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HOLD = """
import sys
from pathlib import Path
from core.runs.folder import RunFolder
with RunFolder(Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(path):
    """Let another process hold a run, as one that trains it does."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout.readline() == "held\n"
            yield
        finally:
            process.stdin.close()
            process.wait()


@pytest.fixture(scope="session")
def another_process_holds():
    """Return a context manager in which another process holds a run."""
    return held_elsewhere


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
