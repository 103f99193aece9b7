"""A class with many visitors, served as `make class` serves it, in a folder of runs of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pages.classroom import cookie, settings
from pages.classroom.begin import FRUGAL
from pages.classroom.visitors import TEACHER, admitted
from tests.browser.conftest import free_port, wait_for_health

ROOT = Path(__file__).resolve().parents[1]
CLASS_APP = ROOT / "tests" / "browser" / "apps" / "own_class_app.py"
SECRETS = {
    "CLASS_PASSWORD": "all together",
    "TEACHER_PASSWORD": "mine alone",
    "CLASS_SECRET": "one for all processes",
}
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs."""

    address: str
    pid: int
    cookies: tuple[str, ...] = ()
    """One for each visitor, as a browser sends it."""
    runs: Path = Path()

    @property
    def megabytes(self) -> float:
        """What its process has in memory."""
        statm = Path(f"/proc/{self.pid}/statm").read_text()
        return int(statm.split()[1]) * _PAGE / 1e6

    @property
    def cpu_seconds(self) -> float:
        """For how long its process has computed, trainings not counted."""
        stat = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / _TICKS


@contextmanager
def serve_class(n: int, told: str = "", *, teacher: bool = False) -> Iterator[Server]:
    """Serve a class to which so many visitors have come, for as long as the context lasts.

    Args:
        n: So many.
        told: What `class.toml` says.
        teacher: Whether the last of all cookies is a teacher's.
    """
    with TemporaryDirectory() as folder:
        runs = Path(folder)
        (runs / settings.FILE).write_text(told)
        classroom = settings.read(runs, SECRETS)
        visitors = [admitted(runs, f"visitor-{number}", "a word") for number in range(n)]
        visitors += [TEACHER] * teacher
        cookies = tuple(f"{cookie.NAME}={cookie.written(classroom, each)}" for each in visitors)
        with replica(runs) as (address, pid):
            yield Server(address, pid, cookies, runs)


@contextmanager
def replica(runs: Path) -> Iterator[tuple[str, int]]:
    """Serve the class of a folder of runs, maybe beside others, for as long as the context lasts.

    Yields:
        Its address and its process.
    """
    port = free_port()
    command = [sys.executable, str(CLASS_APP), str(port), str(runs)]
    own = FRUGAL | SECRETS | {"CLASS_SETTINGS": str(runs), "PYTHONPATH": str(ROOT)}
    with running(command, port, own) as (address, pid):
        yield address, pid


@contextmanager
def serve_alone(app: Path) -> Iterator[Server]:
    """Serve an app that asks nobody who he is, for as long as the context lasts."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.port", str(port)]
    with running(command, port) as (address, pid):
        yield Server(address, pid)


@contextmanager
def running(
    command: Sequence[str], port: int, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[str, int]]:
    """Run a server for as long as the context lasts.

    Args:
        command: Starts it.
        port: At which it answers.
        environment: What it finds in its environment beside what is there.

    Yields:
        Its address and its process.
    """
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | (environment or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for_health(process, address)
        yield address, process.pid
    finally:
        process.kill()
        process.wait()
