"""The command `seq2see`: opens the app in the browser, or runs one command of `core`."""

import argparse
import os
import socket
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NoReturn

from . import __version__

ADDRESS = "127.0.0.1"
NEEDED = ("streamlit", "tokenizers")
"""Packages that stand for the extra `app`: the second is what the commands need of it."""

MODULES = {
    "class": ("classroom", "Serve the app to a class: all sign in, each with own runs."),
    "site": ("pages.site", "Write the pass of some runs as pages that need no server."),
}
"""Command → its module beside the package, and what it does."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the app, or run the command that the first argument names.

    Args:
        arguments: By default those of the command line.

    Returns:
        The exit status, 2 where the user has to mend something.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given == ["--version"]:
        print(f"seq2see {__version__}")
        return 0
    if any(find_spec(name) is None for name in NEEDED):
        print("error: this needs more packages: pip install 'seq2see[app]'", file=sys.stderr)
        return 2
    if given and given[0] in MODULES:
        return _run_module(MODULES[given[0]][0], given[1:])
    if given and not given[0].startswith("-"):
        return int(import_module(".core.__main__", __package__).main(given))
    options = _Parser(
        prog="seq2see",
        usage="seq2see [--port PORT] [--no-browser]\n       seq2see class [ADDRESS [PORT]]\n"
        "       seq2see site OUT [RUN …]\n       seq2see COMMAND …",
        description="Without a command, open the app. Its runs are kept in runs/, in this folder.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("--port", type=_port, default=0, help="default: a free one")
    options.add_argument("--no-browser", action="store_true", help="serve the app, open nothing")
    options.add_argument("--version", action="store_true", help="print the version")
    chosen = options.parse_args(given)
    return _open_app(chosen.port or _free_port(), chosen.no_browser)


class _Parser(argparse.ArgumentParser):
    def format_help(self) -> str:
        """Add the commands, which only help needs."""
        commands = import_module(".core.__main__", __package__).COMMANDS
        lines = [
            f"  {name:<12}{command.__doc__.splitlines()[0]}" for name, command in commands.items()
        ]
        lines += [f"  {name:<12}{summary}" for name, (_, summary) in MODULES.items()]
        self.epilog = "\n".join(["commands, each with --help:", *lines])
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Refuse in one sentence, without the usage before it."""
        self.exit(2, f"error: {message} (see seq2see --help)\n")


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**16:
        raise argparse.ArgumentTypeError(f"{text} is not 1 to {2**16 - 1}")
    return int(text)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        return int(probe.getsockname()[1])


def _run_module(name: str, arguments: Sequence[str]) -> NoReturn:
    """Become a module whose parts import each other by the names in a checkout."""
    root = str(import_module(".core.installed", __package__).ROOT)
    found = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    # -P: modules of the user's folder may have the same names.
    command = [sys.executable, "-P", "-m", name, *arguments]
    os.execve(command[0], command, {**os.environ, "PYTHONPATH": found})


def _open_app(port: int, no_browser: bool) -> int:
    from streamlit.web.cli import main as streamlit  # Here, for only the app needs it.

    app = import_module(".core.installed", __package__).ROOT / "app.py"
    options = {
        "server.address": ADDRESS,
        "server.port": port,
        "server.headless": no_browser,
        "server.showEmailPrompt": False,
    }
    words = [f"--{name}={str(value).lower()}" for name, value in options.items()]
    # Else a page of another site could speak with the app under a name of its own.
    words += [f"--server.allowedHosts={host}" for host in (ADDRESS, "localhost")]
    streamlit(["run", str(app), *words], prog_name="streamlit")
    return 0
