"""The words of a view, as Markdown: one file for each view and language.

`pages/texts/<language>/<page>/<view>.md` begins with the label as a heading and the question below
it. What follows are sections, whose headings are the same in every language: "How to read",
"What to try", "Formula", or any other that the view asks for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pages.frame import texts

HOW_TO_READ, TRIES, FORMULA = "How to read", "What to try", "Formula"


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
    return _read(texts.path(page, f"{view}.md"))


@cache
def _read(file: Path) -> ViewText:
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
