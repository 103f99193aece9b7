"""Another process that holds a run, as one that trains it does."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.runs.folder import TRAINING

ROOT = Path(__file__).resolve().parents[1]
# Without torch, whose import takes longer than the tests that need a holder.
HOLD = f"""
import sys
from pathlib import Path
from core.jobs.job import Files, Job
from core.jobs.process import locked
with locked(Job("core.training", "holding it", {TRAINING.files!r}), Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Let another process hold a run for as long as the context lasts, or until it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout.readline() == b"held\n"
            yield process
        finally:
            process.communicate()
