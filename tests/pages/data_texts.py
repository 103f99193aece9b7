"""What stands in the TOML files of `pages/texts`."""

import tomllib

from pages.frame.texts import TEXTS

NAMES = ("glossary", "misconceptions", "needs", "quiz", "settings", "tour")
LINKS = {"link", "shows", "clicks", "limits", "step", "needs", "right", "verdict"}
"""Entries that are the same in every language: only the English file has them."""


def texts_of(language, name):
    """Return the texts of a file, each by its path; a list is one text."""
    return dict(_texts(tomllib.loads((TEXTS / language / f"{name}.toml").read_text("utf-8"))))


def _texts(entries, path=()):
    for name, entry in entries.items():
        if name in LINKS:
            continue
        if isinstance(entry, dict):
            yield from _texts(entry, (*path, name))
        else:
            yield (*path, name), "|".join(entry) if isinstance(entry, list) else entry
