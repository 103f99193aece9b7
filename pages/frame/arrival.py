"""How the visitor came to what is drawn now: by which address, and from where."""

from urllib.parse import urlsplit

import streamlit as st

from pages.frame.address import asked_for
from pages.frame.visit import current
from pages.frame.visit import is_way_back as is_way_back


def is_bare(*ignored: str) -> bool:
    """Say whether the browser's address asks for no choice.

    Args:
        ignored: Choices that it may name all the same.
    """
    return set(asked_for()) <= {*ignored}


def is_first() -> bool:
    """Say whether nothing has been shown yet in this visit."""
    return not current().names_of


def number() -> int:
    """Return which arrival this is: another one whenever an address or a stop is gone to."""
    return current().arrivals


def comes_from_elsewhere() -> bool:
    """Say whether the page is drawn for the first time since another one was."""
    return current().entered


def path() -> str:
    """Return which page the browser's address asks for; empty for the app itself."""
    return urlsplit(str(st.context.url or "")).path.rpartition("/")[2]
