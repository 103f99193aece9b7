"""Why not to believe in the heads that a view names."""

from collections.abc import Iterable, Sequence

import streamlit as st

from core.heads import Head
from core.runs.run import Run
from pages.frame import notes


def draw(found: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Say of each head why not to believe in it; nothing where nothing is known.

    Args:
        found: What a head is called, empty where the view shows one only, and one sentence each.
    """
    lines = [
        f"{name}: {' '.join(reasons)}" if name else " ".join(reasons)
        for name, reasons in found
        if reasons
    ]
    if lines:
        st.caption("  \n".join(lines))


def of_heads(run: Run, heads: Iterable[Head]) -> list[tuple[str, list[str]]]:
    """Return why not to believe in heads of a run, whatever the sentence."""
    return [(notes.site_and_head(head), notes.about_head(run, head)) for head in heads]
