"""Texts that are files: in `pages/texts/<language>`, read in the visitor's language."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pages.frame.language import ENGLISH, visitor

TEXTS = Path(__file__).resolve().parents[1] / "texts"


def toml(name: str, language: str = "") -> Mapping[str, Any]:
    """Return the entries of a TOML file; an entry that the language lacks is English.

    Args:
        name: Of the file, without its ending.
        language: The visitor's where it is empty.
    """
    file = f"{name}.toml"
    return _entries(path(file, language=ENGLISH), path(file, language=language))


def path(*parts: str, language: str = "") -> Path:
    """Return a file in a language; the English one where the language has none.

    Args:
        parts: Folders and name of the file, in the folder of the language.
        language: The visitor's where it is empty.
    """
    file = TEXTS.joinpath((language or visitor()).partition("_")[0], *parts)
    return file if file.is_file() else TEXTS.joinpath(ENGLISH, *parts)


@cache
def _entries(english: Path, translated: Path) -> Mapping[str, Any]:
    entries, more = (tomllib.loads(file.read_text("utf-8")) for file in (english, translated))
    return _merged(entries, more)


def _merged(entries: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested entries, with those of another file in their places."""
    return {
        name: _merged(entry, more.get(name, {}))
        if isinstance(entry, Mapping)
        else more.get(name, entry)
        for name, entry in entries.items()
    }
