"""Texts that are files, in `pages/texts/<language>`, read in the visitor's language.

The words of a view are Markdown, `<page>/<view>.md`: the label as a heading, the question, and
sections whose headings are the same in every language: "How to read", "What to try", "Formula", or
any other that the view asks for. All else is TOML.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pages.frame.language import ENGLISH, visitor

TEXTS = Path(__file__).resolve().parents[1] / "texts"
HOW_TO_READ, TRIES, FORMULA = "How to read", "What to try", "Formula"


def toml(name: str, language: str = "") -> Mapping[str, Any]:
    """Return the entries of a TOML file; an entry that the language lacks is English."""
    file = f"{name}.toml"
    return _entries(path(file, language=ENGLISH), path(file, language=language))


def path(*parts: str, language: str = "") -> Path:
    """Return a file in a language, the visitor's where none is named, or else the English one."""
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


@dataclass(frozen=True, slots=True)
class ViewText:
    """The words of one view in one language."""

    label: str
    """On the button that opens it."""
    question: str
    """What it answers: a sentence or two of Markdown."""
    sections: Mapping[str, str]
    """Heading → Markdown; the formula is LaTeX between two lines of $$."""

    @property
    def formula(self) -> str:
        """In LaTeX; empty where there is none."""
        return self.sections.get(FORMULA, "").strip("$\n")


def view_text(page: str, view: str) -> ViewText:
    """Return the words of a view in the visitor's language; in English where it has none."""
    return _view_text(path(page, f"{view}.md"))


@cache
def _view_text(file: Path) -> ViewText:
    return parsed(file.read_text("utf-8"))


def parsed(markdown: str) -> ViewText:
    r"""Return the words of a file.

    >>> text = parsed("# maps\n\nWhere does it look?\n\n## How to read\n\nRows sum to 1.\n")
    >>> text.label, text.question, text.sections
    ('maps', 'Where does it look?', {'How to read': 'Rows sum to 1.'})
    """
    begin, *sections = markdown.split("\n## ")
    heading, _newline, question = begin.partition("\n")
    parts = (section.partition("\n") for section in sections)
    return ViewText(
        label=heading.removeprefix("# ").strip(),
        question=question.strip(),
        sections={title.strip(): text.strip() for title, _newline, text in parts},
    )
