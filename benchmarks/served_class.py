"""A class with many visitors, served as `make class` serves it, in a folder of runs of its own."""

import getpass
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from classroom import cookie, settings
from classroom.__main__ import FRUGAL
from classroom.names import admitted
from core.runs.folder import TRAINING
from core.training.process import situation
from pages.frame.service import OWNER
from tests.browser.conftest import free_port, wait_for_health

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
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
    pids: tuple[int, ...]
    """Of its processes: one for each replica."""
    cookies: tuple[str, ...] = ()
    """One for each visitor, as a browser sends it."""
    runs: Path = Path()

    @property
    def megabytes(self) -> float:
        """What its processes have in memory."""
        found = [Path(f"/proc/{pid}/statm").read_text().split()[1] for pid in self.pids]
        return sum(map(int, found)) * _PAGE / 1e6

    @property
    def cpu_seconds(self) -> float:
        """For how long its processes have computed, trainings not counted."""
        stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2] for pid in self.pids]
        ticks = [int(each) for stat in stats for each in stat.split()[11:13]]
        return sum(ticks) / _TICKS


@contextmanager
def serve_class(
    n: int, told: str = "", *, teacher: bool = False, replicas: int = 1
) -> Iterator[Server]:
    """Serve a class to which so many visitors have come, for as long as the context lasts.

    Args:
        n: So many.
        told: What `class.toml` says.
        teacher: Whether the last of all cookies is a teacher's.
        replicas: So many processes; several stand behind the proxy of `deploy/`.
    """
    with TemporaryDirectory() as folder, ExitStack() as kept:
        runs, before = Path(folder, "runs"), Path(folder, "proxy")
        runs.mkdir()
        before.mkdir()
        (runs / settings.FILE).write_text(told)
        # Registered first, so that it comes last: nothing starts another one any more.
        kept.callback(end_trainings, runs)
        classroom = settings.read(runs, SECRETS)
        visitors = [admitted(runs, f"visitor-{number}", "a word") for number in range(n)]
        visitors += [OWNER] * teacher
        cookies = tuple(f"{cookie.NAME}={cookie.written(classroom, each)}" for each in visitors)
        served = [kept.enter_context(replica(runs)) for _ in range(replicas)]
        addresses, pids = zip(*served, strict=True)
        address = addresses[0]
        if replicas > 1:
            address = kept.enter_context(proxied(before, addresses))
        yield Server(address, pids, cookies, runs)


def end_trainings(runs: Path) -> None:
    """End all trainings of a class, which survive its server, and wait for them."""
    trained = [file.parent for file in runs.rglob("status.json")]
    while alive := [path for path in trained if situation(path).alive]:
        for path in alive:
            TRAINING.ask(path, "pause")
        time.sleep(0.2)


@contextmanager
def replica(runs: Path, port: int | None = None) -> Iterator[tuple[str, int]]:
    """Serve the class of a folder of runs, maybe beside others, for as long as the context lasts.

    Args:
        runs: The folder, which holds the settings of the class, too.
        port: At which it answers; by default a free one.

    Yields:
        Its address and its process.
    """
    port = port or free_port()
    command = [sys.executable, str(CLASS_APP), str(port), str(runs)]
    own = FRUGAL | SECRETS | {"CLASS_SETTINGS": str(runs), "PYTHONPATH": str(ROOT)}
    with running(command, port, own) as (address, pid):
        yield address, pid


@contextmanager
def proxied(folder: Path, addresses: Iterable[str]) -> Iterator[str]:
    """Run nginx as `deploy/nginx.conf` says, on a port of its own before some replicas.

    Args:
        folder: For what nginx reads and writes; its log becomes `access.log`.
        addresses: Of the replicas.

    Yields:
        Its address.
    """
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    assert nginx, "nginx is missing: apt-get install nginx-light"
    port = free_port()
    config = (DEPLOY / "nginx.conf").read_text()
    assert config.count("listen 8080;") == 1
    assert config.count("worker_processes auto;") == 1
    config = config.replace("listen 8080;", f"listen 127.0.0.1:{port};")
    config = config.replace("worker_processes auto;", "worker_processes 1;")
    (folder / "nginx.conf").write_text(config.replace("/dev/stdout", str(folder / "access.log")))
    servers = [each.removeprefix("http://") for each in addresses]
    lines = [f"server {each} max_fails=1 fail_timeout=5s;\n" for each in servers]
    (folder / "replicas.conf").write_text("".join(lines))
    command = [nginx, "-p", f"{folder}/", "-c", "nginx.conf"]
    process = subprocess.Popen([*command, "-g", f"daemon off; user {getpass.getuser()};"])
    try:
        wait_for_health(process, f"http://127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@contextmanager
def serve_alone(app: Path) -> Iterator[Server]:
    """Serve an app that asks nobody who he is, for as long as the context lasts."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.port", str(port)]
    with running(command, port) as (address, pid):
        yield Server(address, (pid,))


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
