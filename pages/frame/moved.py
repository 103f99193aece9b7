"""Links to views that were merged into others: they open what shows the same now."""

from collections.abc import Mapping
from dataclasses import dataclass

from pages.frame import address, links
from pages.frame.visit import is_way_back


@dataclass(frozen=True, slots=True)
class Moved:
    """Where a view is now."""

    page: str
    """Its address; empty for the first page."""
    query: Mapping[str, str]
    """What it opens with, the view among it."""


MOVED: Mapping[tuple[str, str], Moved] = {
    ("heads", "guided"): Moved(
        "", {"view": "compare", "other": "models", "model": "translate-guided"}
    ),
}
"""Page and view of older links → where that is now."""


def follow(page: str, choice: str, usual: str = "") -> None:
    """Go where a view is now, if the address asks for one that has moved.

    Args:
        page: The page that the address asks for; "attention" for the first.
        choice: What chooses its view, in the URL.
        usual: The view of an address that names none.
    """
    found = MOVED.get((page, address.text_of(choice) or usual))
    if found is None:
        return
    address.choose({choice: None})
    if found.page == ("" if page == "attention" else page):
        address.choose(found.query)
    elif not is_way_back():
        asked = {name: address.text_of(name) or "" for name in address.asked_for()}
        asked.pop(choice, None)
        links.go(found.page, {**asked, **found.query})
