"""The settings of a class: the one module that reads them.

`.streamlit/class.toml` says what a class may, `.streamlit/secrets.toml` holds hashes of its
passwords under `[class]`. docs/class.md shows both.
"""

import os
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from classroom.accounts import Accounts
from classroom.limits import Limits
from classroom.passwords import SHORTEST, hashed, matches
from core.installed import INSTALLED

ROOT = Path(__file__).resolve().parents[1]
FILE, SECRETS = "class.toml", "secrets.toml"
FOLDER_NAMED = "CLASS_SETTINGS"
"""The environment's word for another folder than `.streamlit`."""
GIVEN = {"password": "CLASS_PASSWORD", "teacher_password": "TEACHER_PASSWORD"}
"""Passwords can be given at the start, too: by these words of the environment."""
GIVEN_TWICE = (tuple(GIVEN), tuple(GIVEN)[::-1])
SAME = "the teacher's password must be another one than the class's"
GIVEN_SECRET = "CLASS_SECRET"
"""And what cookies are signed with, by this one: the same for all processes of one class."""


class ClassroomError(ValueError):
    """Settings with which no class can be held; the message says what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classroom:
    """A class, as it was set up."""

    days: int = 30
    """So long one stays signed in."""
    tour: str = ""
    """The name of the tour with which everybody begins; empty for the usual start."""
    accounts: Accounts | None = None
    """Who comes in with an account of elsewhere; None where nobody does."""
    limits: Limits = field(default_factory=Limits)
    password: str = field(default="", repr=False)
    """Its hash."""
    teacher_password: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    """What cookies are signed with."""


def folder() -> Path:
    """Return where the settings are."""
    return Path(os.environ.get(FOLDER_NAMED) or (Path.cwd() if INSTALLED else ROOT) / ".streamlit")


def read(where: Path, environment: Mapping[str, str]) -> Classroom:
    """Return a class as it is set up.

    Args:
        where: The folder of the settings; without `class.toml` everything has its usual value.
        environment: Passwords may stand in it, too.

    Raises:
        ClassroomError: A setting cannot be, or nobody could sign in.
    """
    table, secrets_table = _table(where / FILE), _table(where / SECRETS)
    secret = dict(secrets_table.get("class", {}))
    for name, word in GIVEN.items():
        if given := environment.get(word):
            if len(given) < SHORTEST:
                raise ClassroomError(f"{word} is shorter than {SHORTEST} letters")
            secret[name] = hashed(given)
    for name, other in GIVEN_TWICE:
        if matches(environment.get(GIVEN[name], ""), str(secret.get(other, ""))):
            raise ClassroomError(SAME)
    if not (secret.get("password") and secret.get("teacher_password")):
        raise ClassroomError(
            f"nobody could sign in: {where / SECRETS} holds no passwords of a class"
        )
    _require_known(table, {"signed_in_days", "tour", "limits", "accounts"}, "the file", where)
    tour = table.get("tour", "")
    _require(isinstance(tour, str), where, "tour is no text")
    return Classroom(
        days=_whole(table.get("signed_in_days", 30), "signed_in_days", where),
        tour=tour,
        accounts=_accounts(table["accounts"], secrets_table, where)
        if "accounts" in table
        else None,
        limits=_limits(table.get("limits", {}), where),
        password=secret["password"],
        teacher_password=secret["teacher_password"],
        secret=environment.get(GIVEN_SECRET)
        or secret.get("cookie_secret")
        # Then everybody signs in again when the app is started again.
        or secrets.token_hex(32),
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
        raise ClassroomError(SAME)
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


def _require(holds: bool, where: Path, problem: str) -> None:
    if not holds:
        raise ClassroomError(f"{where / FILE}: {problem}")


def _require_known(table: object, names: set[str], called: str, where: Path) -> None:
    _require(isinstance(table, Mapping), where, f"{called} is no table")
    unknown = sorted(set(table) - names)  # type: ignore[call-overload]
    _require(not unknown, where, f"{''.join(unknown[:1])} is not known in {called}")


def _limits(table: Mapping[str, Any], where: Path) -> Limits:
    _require_known(table, {each.name for each in fields(Limits)}, "[limits]", where)
    return Limits(**{name: _whole(value, name, where) for name, value in table.items()})


def _accounts(table: Mapping[str, Any], secrets_table: Mapping[str, Any], where: Path) -> Accounts:
    _require_known(table, {each.name for each in fields(Accounts)}, "[accounts]", where)
    lists = {name: table.get(name, []) for name in ("visitors", "teachers")}
    for name, listed in lists.items():
        addresses = isinstance(listed, list) and all(
            isinstance(each, str) and each.find("@") == each.rfind("@") >= 0 for each in listed
        )
        _require(addresses, where, f"{name} is no list of addresses or @domains")
    unverified = table.get("unverified", False)
    _require(type(unverified) is bool, where, "unverified is neither true nor false")
    needed = {"redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url"}
    if missing := sorted(needed - set(secrets_table.get("auth", {}))):
        raise ClassroomError(f"{where / SECRETS}: accounts need {', '.join(missing)} in [auth]")
    return Accounts(tuple(lists["visitors"]), tuple(lists["teachers"]), unverified)


def _whole(value: Any, name: str, where: Path) -> int:  # noqa: ANN401
    _require(type(value) is int and value >= 1, where, f"{name} is no whole number above 0")
    return int(value)
