"""A head that a view names: reasons to doubt it, and the way to its map."""

from collections.abc import Sequence

import streamlit as st

from core.heads import Head
from pages.frame import links, notes, selection
from pages.frame.language import _, joined
from pages.frame.selection import Opened


def warn(reasons: Sequence[str]) -> None:
    """Say why not to believe in a head, one sentence each; nothing where nothing is known."""
    if reasons:
        st.caption(joined(reasons))


def link_to_map(opened: Opened, head: Head) -> None:
    """Show a link that opens a head on the page of attention, with the same sentence."""
    links.link(
        "attention",
        _("Show the map of {where}").format(where=notes.within_sentence(head)),
        ":material/grid_view:",
        selection.query_of(opened, head),
    )
