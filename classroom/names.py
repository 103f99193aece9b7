"""Which name is whose in a class.

In the folder of runs, `.class/NAME` holds the runs of NAME, and `.visitor.json` beside them what
NAME comes back by.
"""

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from classroom.passwords import hashed, matches
from core.messages import N_, error_text
from core.runs.folder import checked_name, free_name, same
from core.runs.run import RunError
from pages.frame.service import VISITORS, Visitor, visitors

MARK, LOCK = ".visitor.json", ".names.lock"
SHORTEST_WORD = 4
"""Letters of the word by which one comes back."""


class NameTakenError(ValueError):
    """A name of somebody else, or one that nobody can have; the message says why."""


def admitted(runs: Path, name: str, word: str) -> Visitor:
    """Return who comes by a name: the first who does has it, and comes back by a word.

    Raises:
        NameTakenError: Somebody else has the name, or nobody can have it.
        OSError: The folder of runs cannot be written to.
    """
    name = _checked(name)
    with locked(runs, LOCK):
        name = _given_before(runs, name) or name
        entry = _kept(runs, name)
        if entry is None:
            if len(word) < SHORTEST_WORD:
                raise NameTakenError(N_("choose a longer word of your own"))
            return _given(runs, name, hashed(word))
    if not matches(word, entry["word"]):
        raise NameTakenError(
            N_("this name is taken; if it is yours, type the word that you chose before")
        )
    return Visitor(name, entry["key"])


def admitted_by_account(runs: Path, name: str, identity: str) -> Visitor:
    """Return who comes by an account: always the same visitor, whose runs no word opens.

    Args:
        runs: The folder of runs.
        name: What she is called where nobody else is: a number is added where somebody is.
        identity: What no other account has.

    Raises:
        NameTakenError: Nobody can have the name.
        OSError: The folder of runs cannot be written to.
    """
    name, word = _checked(name), f"account${identity}"
    with locked(runs, LOCK):
        for each in visitors(runs):
            entry = _kept(runs, each)
            if entry is not None and entry["word"] == word:
                return Visitor(each, entry["key"])
        return _given(runs, free_name(runs / VISITORS, name), word)


def is_known(runs: Path, visitor: Visitor) -> bool:
    """Return whether a visitor still has the name: a teacher may have freed it."""
    if visitor.is_owner:
        return True
    entry = _kept(runs, visitor.name)
    return entry is not None and entry["key"] == visitor.key


def is_new(runs: Path, name: str) -> bool:
    """Return whether nobody ever came by a name."""
    return _given_before(runs, name) is None


@contextmanager
def locked(runs: Path, name: str) -> Iterator[None]:
    """Let one process of those that serve the class decide after the other, under a name."""
    (runs / VISITORS).mkdir(parents=True, exist_ok=True)
    with FileLock(runs / VISITORS / name):
        yield


def _checked(name: str) -> str:
    try:
        return checked_name(name)
    except RunError as error:
        raise NameTakenError(error_text(error)) from error


def _given_before(runs: Path, name: str) -> str | None:
    return next((each for each in visitors(runs) if same(each) == same(name)), None)


def _given(runs: Path, name: str, word: str) -> Visitor:
    entry = {"word": word, "key": secrets.token_hex(8)}
    mark = _mark(runs, name)
    mark.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600), "w") as opened:
        opened.write(json.dumps(entry))
    return Visitor(name, entry["key"])


def _kept(runs: Path, name: str) -> dict[str, str] | None:
    try:
        entry = json.loads(_mark(runs, name).read_text(encoding="utf-8"))
        return {"word": str(entry["word"]), "key": str(entry["key"])}
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, ValueError):
        # Damaged: nobody comes in by it until the teacher removes it.
        return {"word": "", "key": secrets.token_hex(8)}


def _mark(runs: Path, name: str) -> Path:
    return Visitor(name).folder(runs) / MARK
