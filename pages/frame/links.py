"""Links from one page to another that keep the visitor's session."""

from collections.abc import Mapping
from typing import NoReturn
from urllib.parse import parse_qsl, urlsplit

import streamlit as st
from streamlit.navigation.page import StreamlitPage

FIRST_PAGE = "attention"
"""It has no address of its own."""
PAGES = (
    FIRST_PAGE,
    "heads",
    "decoding",
    "lessons",
    "experiments",
    "training",
    "tour",
    "glossary",
)
"""What can be linked to, as `app.py` lists it."""
OLDER_PAGES = ("masks", "positions", "scaling", "layers", "runs")
"""Addresses that lead on to one of them."""
GOES_TO, ARRIVED = "_goes_to", "_arrived"
"""In what is said to the browser, which shows neither: the page to go to, and that it is drawn.

Streamlit says the address of a page that it goes to in pieces, in two runs: first what it opens
with, while the page before has its path, then the path, then what is shown there.
`navigation.js` makes one step of the browser's history of all that comes between these names.
"""


def link(page: str, label: str, icon: str | None, query_params: Mapping[str, str]) -> None:
    """Show a link to a page of the app.

    Args:
        page: One of `PAGES`; the first may be empty, too.
        label: What the link says.
        icon: A name of Streamlit's; None for none.
        query_params: What the page opens with.
    """
    st.page_link(_target(page, label), label=label, icon=icon, query_params=dict(query_params))


def go(page: str, query_params: Mapping[str, str | list[str]]) -> NoReturn:
    """Go to a page of the app, by one step; see `link`. What was to be drawn after it is not."""
    to = {GOES_TO: "" if page == FIRST_PAGE else page}
    st.switch_page(_target(page, page), query_params={**query_params, **to})


def read(link: str) -> tuple[str, dict[str, str]]:
    """Return the page and the choices of a link.

    >>> read("http://127.0.0.1:8501/heads?trial=silence")
    ('heads', {'trial': 'silence'})
    >>> read("/?view=lines")
    ('attention', {'view': 'lines'})

    Raises:
        ValueError: What stands for the server in it is none.
    """
    parts = urlsplit(link.strip())
    page = parts.path.strip("/").rpartition("/")[2] or FIRST_PAGE
    return page, dict(parse_qsl(parts.query, keep_blank_values=True))


def _target(page: str, title: str) -> StreamlitPage:
    """Return a page: Streamlit tells them apart by their addresses alone, and calls `app.py`'s."""
    is_first = page in ("", FIRST_PAGE)
    return st.Page(_elsewhere, title=title, url_path=None if is_first else page, default=is_first)


def _elsewhere() -> None:
    """Stand in for a page."""
