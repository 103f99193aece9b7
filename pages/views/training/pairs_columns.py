"""Which columns of a file hold the pairs, and whether its first line is one."""

import streamlit as st

from core.tasks.columns import Layout, Reading
from core.tasks.corpus import CorpusError
from core.tasks.pairs import FOUND, layout_in
from pages.frame import cached, controls
from pages.frame.cached import Keyed
from pages.frame.language import _, plain


def ask(content: bytes, name: str, digest: str) -> Reading:
    """Ask how a file is to be read, and say how its first line was.

    Args:
        content: Of the file.
        name: Of the file.
        digest: What stands for both.
    """
    layout = _layout(content, name, digest, FOUND)
    if layout is None:
        return FOUND
    is_pair = False
    if layout.has_header:
        names = ", ".join(layout.names)
        st.caption(_("The first line names the columns: {names}.").format(names=plain(names)))
        is_pair = controls.toggle(_("The first line is a pair"), "first_pair")
    reading = Reading(header=not is_pair)
    layout = _layout(content, name, digest, reading)
    if layout is None or len(layout.names) == 2:
        return reading
    return Reading(_columns(layout), header=reading.header)


def _columns(layout: Layout) -> tuple[int, int]:
    """Ask for the columns of source and target."""
    offered = {
        at: plain(name) if layout.has_header else _("column {n}").format(n=name)
        for at, name in enumerate(layout.names)
    }
    source, target = layout.chosen or (*layout.texts, *range(len(offered)))[:2]
    with st.container(horizontal=True):
        return (
            controls.selection(_("Column of the source"), "source_column", offered, source),
            controls.selection(_("Column of the target"), "target_column", offered, target),
        )


def _layout(content: bytes, name: str, digest: str, reading: Reading) -> Layout | None:
    return cached.call(_found, Keyed(digest, content), name, reading)


def _found(content: bytes, name: str, reading: Reading) -> Layout | None:
    try:
        return layout_in(content, name, reading)
    except CorpusError:
        # The error is shown where the pairs are read.
        return None
