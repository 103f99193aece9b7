"""Heads that a view names: in a sentence, with reasons to doubt them, with the way to their map."""

from collections.abc import Iterable, Sequence

import streamlit as st

from core.heads import Head
from core.runs.run import Run
from pages.frame import cached, links, notes, session
from pages.frame.language import _, joined, labelled
from pages.frame.selection import Opened


def warn(found: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Say of each head why not to believe in it; nothing where nothing is known.

    Args:
        found: What a head is called, empty where the view shows one only, and one sentence each.
    """
    lines = [
        labelled(name, joined(reasons)) if name else joined(reasons)
        for name, reasons in found
        if reasons
    ]
    if lines:
        st.caption("  \n".join(lines))


def warn_whatever_the_sentence(run: Run, heads: Iterable[Head]) -> None:
    """Say why not to believe in heads of a run, whatever the sentence."""
    warn((notes.site_and_head(head), notes.about_head(run, head)) for head in heads)


def link_to_map(opened: Opened, head: Head) -> None:
    """Show a link that opens a head on the page of attention, with the same sentence."""
    paths = cached.run_paths()
    links.link(
        "",
        _("{where}: its map").format(where=notes.site_and_head(head)),
        ":material/grid_view:",
        {
            session.MODEL: next((n for n, path in paths.items() if path == opened.path), ""),
            session.SENTENCE: opened.sentence,
            session.KIND: str(head.kind),
            session.LAYER: str(head.layer),
            session.HEAD: str(head.index),
        },
    )
