"""The settings of a class: the one module that reads them.

`.streamlit/class.toml` says what a class may, `.streamlit/secrets.toml` holds hashes of its passwords
under `[class]`, beside what Streamlit wants for OIDC under `[auth]`. docs/class.md shows both.
"""

import os
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from core.training.limits import Limits
from pages.classroom.passwords import SHORTEST, hashed

ROOT = Path(__file__).resolve().parents[2]
FILE, SECRETS = "class.toml", "secrets.toml"
FOLDER_NAMED = "CLASS_SETTINGS"
"""The environment's word for another folder than `.streamlit`."""
GIVEN = {"password": "CLASS_PASSWORD", "teacher_password": "TEACHER_PASSWORD"}
"""Passwords can be given at the start, too: by these words of the environment."""
GIVEN_SECRET = "CLASS_SECRET"
"""And what cookies are signed with, by this one: the same for all processes of one class."""


class ClassroomError(ValueError):
    """Settings with which no class can be held; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Queue:
    """How much is computed at the same time."""

    at_once: int = 2
    """Trainings and other long work."""
    waiting: int = 20
    """So many more wait in line."""
    per_visitor: int = 1
    """At work or in line."""


@dataclass(frozen=True, slots=True)
class SignIn:
    """Who may come in by OIDC."""

    teachers: tuple[str, ...] = ()
    """E-mail addresses."""
    students: tuple[str, ...] = ()
    """E-mail addresses, or what they end in, from the @ on."""

    def is_teacher(self, email: str) -> bool:
        """Say whether an e-mail address is a teacher's."""
        return email.casefold() in map(str.casefold, self.teachers)

    def lets_in(self, email: str) -> bool:
        """Say whether an e-mail address is one of the class.

        >>> SignIn(students=("@school.edu",)).lets_in("Ann@School.edu")
        True
        >>> SignIn(students=("@school.edu",)).lets_in("ann@school.edu.example.org")
        False
        """
        email = email.casefold()
        known = [each.casefold() for each in self.students]
        ends = any(each.startswith("@") and email.endswith(each) for each in known)
        return self.is_teacher(email) or email in known or ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Classroom:
    """A class, as it was set up."""

    title: str = ""
    tour: str = ""
    """Everybody begins with this one; empty for the app's own start."""
    days: int = 30
    """So long one stays signed in."""
    runs: Path = ROOT / "runs"
    queue: Queue = field(default_factory=Queue)
    limits: Limits = field(default_factory=Limits)
    sign_in: SignIn = field(default_factory=SignIn)
    password: str = field(default="", repr=False)
    """Its hash; empty where nobody comes in by one."""
    teacher_password: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    """What cookies are signed with."""
    by_oidc: bool = False
    """Whether Streamlit's `[auth]` is set up."""


_opened: list[Classroom] = []


def opened() -> Classroom | None:
    """Return the class that this process serves; None for the app of one user."""
    return _opened[-1] if _opened else None


def open_classroom(classroom: Classroom | None) -> None:
    """Serve a class from now on, or one user."""
    _opened[:] = [] if classroom is None else [classroom]


def folder() -> Path:
    """Return where the settings are."""
    return Path(os.environ.get(FOLDER_NAMED) or ROOT / ".streamlit")


def read(where: Path, environment: Mapping[str, str]) -> Classroom:
    """Return a class as it is set up.

    Args:
        where: The folder of the settings; without `class.toml` everything has its usual value.
        environment: Passwords may stand in it, too.

    Raises:
        ClassroomError: A setting cannot be, or nobody could sign in.
    """
    said, kept = _table(where / FILE), _table(where / SECRETS)
    secret = dict(kept.get("class", {}))
    for name, word in GIVEN.items():
        if given := environment.get(word):
            if len(given) < SHORTEST:
                raise ClassroomError(f"{word} is shorter than {SHORTEST} letters")
            secret[name] = hashed(given)
    by_oidc = "auth" in kept
    if not by_oidc and not (secret.get("password") and secret.get("teacher_password")):
        raise ClassroomError(
            f"nobody could sign in: {where / SECRETS} holds neither passwords of a class nor [auth]"
        )
    plain = {"title": str, "tour": str, "signed_in_days": int, "runs": str}
    tables: dict[str, type] = {"queue": Queue, "limits": Limits, "sign_in": SignIn}
    if unknown := set(said) - {*plain, *tables}:
        raise ClassroomError(f"{where / FILE}: {sorted(unknown)[0]} is not known")
    for name, kind in plain.items():
        if name in said and type(said[name]) is not kind:
            raise ClassroomError(f"{where / FILE}: {name} is not of the kind {kind.__name__}")
    return Classroom(
        title=said.get("title", ""),
        tour=said.get("tour", ""),
        days=max(1, said.get("signed_in_days", 30)),
        runs=(ROOT / said.get("runs", "runs")).resolve(),
        queue=_read(Queue, said, "queue", where),
        limits=_read(Limits, said, "limits", where),
        sign_in=_read(SignIn, said, "sign_in", where),
        password=secret.get("password", ""),
        teacher_password=secret.get("teacher_password", ""),
        secret=environment.get(GIVEN_SECRET)
        or secret.get("cookie_secret")
        or kept.get("auth", {}).get("cookie_secret")
        # Then everybody signs in again when the app is started again.
        or secrets.token_hex(32),
        by_oidc=by_oidc,
    )


def keep_passwords(where: Path, password: str, teacher_password: str) -> None:
    """Write the hashes of passwords, and a secret to sign with, into the file of secrets.

    Raises:
        ClassroomError: There are some already, or one is too short, or both are the same.
        OSError: The file cannot be written.
    """
    file = where / SECRETS
    if "class" in _table(file):
        raise ClassroomError(f"{file} holds passwords of a class already")
    if min(len(password), len(teacher_password)) < SHORTEST:
        raise ClassroomError(f"a password has {SHORTEST} letters at least")
    if password == teacher_password:
        raise ClassroomError("the teacher's password is another one than the class's")
    lines = [
        "",
        "[class]",
        f'password = "{hashed(password)}"',
        f'teacher_password = "{hashed(teacher_password)}"',
        f'cookie_secret = "{secrets.token_hex(32)}"',
        "",
    ]
    where.mkdir(parents=True, exist_ok=True)
    with open(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a") as opened:
        opened.write("\n".join(lines))


def _table(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ClassroomError(f"{file} cannot be read: {error}") from error


Table = TypeVar("Table", Queue, Limits, SignIn)


def _read(kind: type[Table], said: Mapping[str, Any], name: str, where: Path) -> Table:
    """Return one table of the settings: whole numbers above 0, or lists of texts."""
    table = said.get(name, {})
    known = {each.name: each for each in fields(kind)}
    if not isinstance(table, Mapping):
        raise ClassroomError(f"{where / FILE}: [{name}] is no table")
    values: dict[str, Any] = {}
    for each, value in table.items():
        if each not in known:
            raise ClassroomError(f"{where / FILE}: {each} is not known in [{name}]")
        if kind is SignIn:
            if not isinstance(value, list) or not all("@" in str(text) for text in value):
                raise ClassroomError(f"{where / FILE}: {each} is no list of e-mail addresses")
            values[each] = tuple(map(str, value))
        elif type(value) is not int or value < 1:
            raise ClassroomError(f"{where / FILE}: {each} is no whole number above 0")
        else:
            values[each] = value
    return kind(**values)
