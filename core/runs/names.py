"""Names of runs that are folder names on every system."""

import itertools
import re
import unicodedata
from pathlib import Path

from core.runs.run import RunError

LONGEST = 60
"""Letters of a name."""
_MARKS = "-_. "
# Windows keeps these for devices, whatever ending follows.
_DEVICE = re.compile(r"(CON|PRN|AUX|NUL|COM[0-9]|LPT[0-9]) *(\..*)?", re.IGNORECASE)


def checked_name(text: str) -> str:
    """Return a text as the name of a run: without spaces around it, letters in composed form.

    Letters and digits of any script, and between them hyphens, underscores, dots and spaces.

    >>> checked_name(" été 2 ")
    'été 2'

    Raises:
        RunError: It cannot be a folder's name on every system; the message says why.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise RunError("a run needs a name")
    if len(name) > LONGEST:
        raise RunError("the name has {n} letters; {most} are the most", n=len(name), most=LONGEST)
    wrong = [sign for sign in name if sign not in _MARKS and not _is_letter_or_digit(sign)]
    if wrong:
        raise RunError(
            "{sign} cannot stand in a name; letters, digits, spaces and - _ . can",
            sign=repr(wrong[0]),
        )
    if name[0] in _MARKS or unicodedata.category(name[0])[0] == "M":
        raise RunError("the name {name} does not begin with a letter or digit", name=repr(name))
    if name[-1] == ".":
        raise RunError("the name {name} ends with a dot", name=repr(name))
    if _DEVICE.fullmatch(name):
        raise RunError("Windows keeps the name {name} for itself", name=repr(name))
    return name


def free_name(parent: Path, wanted: str) -> str:
    """Return a name that nothing in a folder has: the wanted one, or wanted-2, wanted-3 and on."""
    taken = {same(path.name) for path in parent.iterdir()} if parent.is_dir() else set()
    numbered = (_numbered(wanted, number) for number in itertools.count(2))
    return next(name for name in itertools.chain([wanted], numbered) if same(name) not in taken)


def is_taken(parent: Path, name: str, by_others_than: str) -> bool:
    """Say whether a folder holds something whose name some system takes for the same."""
    others = (path.name for path in parent.iterdir() if path.name != by_others_than)
    return same(name) in map(same, others)


def same(name: str) -> str:
    """Return what is equal for names that some system takes for one: A and a, é in either form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _numbered(name: str, number: int) -> str:
    ending = f"-{number}"
    return name[: LONGEST - len(ending)].rstrip(_MARKS) + ending


def _is_letter_or_digit(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category[0] in "LM" or category == "Nd"
