"""A term of the field, and what is said of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pages.frame.language import _


@dataclass(frozen=True, slots=True)
class Term:
    """One term."""

    name: str
    """In links and tests."""
    written: str
    """How it is written, with | between; the first is its heading. Marked for translation."""
    text: str
    """What it is, in two sentences; marked for translation."""
    page: str
    """Of the view that shows it, as `app.py` lists it."""
    query: Mapping[str, str] = field(default_factory=dict)
    """What that page opens with."""

    def forms(self) -> list[str]:
        """Return how it is written in the reader's language, the heading first."""
        return _(self.written).split("|")
