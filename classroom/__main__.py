"""`make class`: ask for the passwords of a class where there are none yet, and serve it.

    python -m classroom [ADDRESS [PORT]]
    seq2see class [ADDRESS [PORT]]          where the package is installed

Without an address it is served to the local network.
"""

import argparse
import getpass
import hashlib
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from classroom import settings
from classroom.passwords import SHORTEST
from classroom.settings import ClassroomError
from core.commands.options import OneSentence, whole
from core.installed import INSTALLED

EVERYWHERE, PORT = "0.0.0.0", 8501
APP = settings.ROOT / "class_app.py"
FRUGAL = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": str(2**20)}
"""For glibc: every answer has a thread of its own, and each would keep memory that it has freed."""


def command(classroom: settings.Classroom, address: str, port: int) -> list[str]:
    """Return what serves a class."""
    return [
        sys.executable,
        *("-m", "streamlit", "run", str(APP)),
        *("--server.address", address),
        *("--server.port", str(port)),
        # Else Streamlit asks a machine of others which address this one has.
        *("--browser.serverAddress", shown(address)),
        *("--server.maxUploadSize", str(classroom.limits.upload_megabytes)),
        # The provider of accounts stands where all settings of the class do.
        *("--secrets.files", str(settings.folder() / settings.SECRETS)),
    ]


def shown(address: str) -> str:
    """Return what others type to come to an address that is served."""
    return own_address() if address == EVERYWHERE else address


def set_up(
    where: Path, environment: Mapping[str, str], ask: Callable[[str], str] | None
) -> settings.Classroom:
    """Return the class, with passwords that are asked for where there are none.

    Args:
        where: The folder of the settings.
        environment: May hold passwords.
        ask: Asks for one; None where nobody could answer.

    Raises:
        ClassroomError: No class can be held like this.
    """
    try:
        return settings.read(where, environment)
    except ClassroomError:
        if ask is None or (where / settings.SECRETS).exists():
            raise
    password = ask(f"A password for the class ({SHORTEST} letters at least): ")
    teachers = ask("And one for you, the teacher: ")
    settings.keep_passwords(where, password, teachers)
    return settings.read(where, environment)


def own_address() -> str:
    """Return the address of this machine in its network, as far as it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: only the way there is looked up.
            probe.connect(("10.255.255.255", 1))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def main(arguments: Sequence[str]) -> int:
    """Serve a class until it is ended; 2 where it cannot be."""
    chosen = command_line().parse_args(arguments)
    address, port, where = chosen.address, chosen.port, settings.folder()
    try:
        classroom = set_up(where, os.environ, getpass.getpass if sys.stdin.isatty() else None)
    except (ClassroomError, OSError) as error:
        print(f"error: {error}\ndocs/class.md says how a class is set up", file=sys.stderr)
        return 2
    print(f"The class is at http://{shown(address)}:{port}", flush=True)
    return _become(command(classroom, address, port), environment(classroom))


def command_line() -> OneSentence:
    """Return what reads the address and the port."""
    prog = "seq2see class" if INSTALLED else "python -m classroom"
    parser = OneSentence(prog=prog, description="Serve a class.")
    add = parser.add_argument
    help_of_address = "default: the local network"
    add(
        "address",
        nargs="?",
        default=EVERYWHERE,
        type=_address,
        metavar="ADDRESS",
        help=help_of_address,
    )
    add(
        "port",
        nargs="?",
        default=PORT,
        type=whole(1, 65_535),
        metavar="PORT",
        help=f"default: {PORT}",
    )
    return parser


def _address(text: str) -> str:
    """Return an address or a name of this machine."""
    try:
        family, *_, place = socket.getaddrinfo(text, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family) as probe:
            probe.bind(place)
    except OSError:
        raise argparse.ArgumentTypeError(f"{text!r} is no address of this machine") from None
    return text


def environment(classroom: settings.Classroom) -> dict[str, str]:
    """Return what the server finds in its environment beside what is there."""
    # What one replica lets a page hand over, the next takes, too.
    secret = hashlib.sha256(f"streamlit {classroom.secret}".encode()).hexdigest()
    # Anybody can write `X-Forwarded-For`: it is believed only of a proxy that is named.
    return FRUGAL | {"STREAMLIT_SERVER_COOKIE_SECRET": secret, "FORWARDED_ALLOW_IPS": ""}


def _become(command: list[str], environment: Mapping[str, str]) -> NoReturn:
    # In place of this process, so that its end is the end of the app.
    os.execve(command[0], command, {**environment, **os.environ})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
