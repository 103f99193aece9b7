"""Who visits a class, and which folder of runs is whose.

In the folder of runs there is a hidden one for the class: `.class/NAME` holds the runs of NAME, and
`.visitor.json` beside them what NAME comes back by.
"""

import json
import os
import secrets
import threading
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from core.messages import N_, said
from core.runs.names import checked_name, free_name, same
from core.runs.run import RunError
from pages.classroom.passwords import hashed, matches

CLASS, MARK, LOCK = ".class", ".visitor.json", ".names.lock"
SHORTEST_WORD = 4
"""Letters of the word by which one comes back."""
_one_at_a_time = threading.Lock()
"""Two who choose the same name in the same moment are not both its first."""


class NameTakenError(ValueError):
    """A name of somebody else, or one that nobody can have; the message says why."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever looks at the app."""

    name: str = ""
    """Empty for the teacher, and for the one user of the app that is no class's."""
    key: str = ""
    """What a name was given with: another one where the name was freed and taken anew."""

    @property
    def is_teacher(self) -> bool:
        """Whether all runs are to be seen, and nothing is limited."""
        return not self.name

    def folder(self, runs: Path) -> Path:
        """Return where a visitor's own runs are."""
        return runs if self.is_teacher else runs / CLASS / self.name


ALONE = TEACHER = Visitor()


def admitted(runs: Path, name: str, word: str) -> Visitor:
    """Return who comes by a name: the first who does has it, and comes back by a word.

    Raises:
        NameTakenError: Somebody else has the name, or nobody can have it.
        OSError: The folder of runs cannot be written to.
    """
    try:
        name = checked_name(name)
    except RunError as error:
        raise NameTakenError(said(error)) from error
    (runs / CLASS).mkdir(parents=True, exist_ok=True)
    # Also of several processes that serve one class.
    with _one_at_a_time, FileLock(runs / CLASS / LOCK):
        name = _given_before(runs, name) or name
        mark = Visitor(name).folder(runs) / MARK
        kept = _kept(mark)
        if kept is None:
            if len(word) < SHORTEST_WORD:
                raise NameTakenError(N_("choose a longer word of your own"))
            return _given(runs, name, hashed(word))
    if not matches(word, kept["word"]):
        raise NameTakenError(
            N_("this name is taken; if it is yours, type the word that you chose before")
        )
    return Visitor(name, kept["key"])


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
    word = f"account${identity}"
    with _one_at_a_time:
        for each in names(runs):
            kept = _kept(Visitor(each).folder(runs) / MARK)
            if kept is not None and kept["word"] == word:
                return Visitor(each, kept["key"])
        try:
            name = free_name(runs / CLASS, checked_name(name))
        except RunError as error:
            raise NameTakenError(said(error)) from error
        return _given(runs, name, word)


def is_known(runs: Path, visitor: Visitor) -> bool:
    """Say whether a visitor still has the name: a teacher may have freed it."""
    if visitor.is_teacher:
        return True
    kept = _kept(visitor.folder(runs) / MARK)
    return kept is not None and kept["key"] == visitor.key


def is_new(runs: Path, name: str) -> bool:
    """Say whether nobody ever came by a name."""
    return _given_before(runs, name) is None


def names(runs: Path) -> list[str]:
    """Return the names of all who ever came, in order."""
    folder = runs / CLASS
    found = folder.iterdir() if folder.is_dir() else iter(())
    return sorted(each.name for each in found if each.is_dir() and each.name[0] != ".")


def _given_before(runs: Path, name: str) -> str | None:
    return next((each for each in names(runs) if same(each) == same(name)), None)


def _given(runs: Path, name: str, word: str) -> Visitor:
    kept = {"word": word, "key": secrets.token_hex(8)}
    mark = Visitor(name).folder(runs) / MARK
    mark.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600), "w") as opened:
        opened.write(json.dumps(kept))
    return Visitor(name, kept["key"])


def _kept(mark: Path) -> dict[str, str] | None:
    try:
        kept = json.loads(mark.read_text(encoding="utf-8"))
        return {"word": str(kept["word"]), "key": str(kept["key"])}
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, ValueError):
        # Damaged: nobody comes in by it until the teacher removes it.
        return {"word": "", "key": secrets.token_hex(8)}
