"""Translations before and after a change, and which of their words differ."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.effects.interventions import BeforeAfter
from core.analysis.heads.comparison import aligned
from pages.frame.language import _, plain

LONG = 600
"""Letters of translations that push the picture too far down."""


def say(claim: str, translations: str) -> None:
    """Show what is found above the translations; these folded, where they are long."""
    if len(translations) <= LONG:
        st.markdown(f"{claim}  \n{translations}")
        return
    st.markdown(claim)
    with st.expander(_("Translations"), type="compact"):
        st.markdown(translations)


def marked(first: str, second: str) -> tuple[str, str]:
    """Return two texts in Markdown, the words that differ in bold; a dash where there is none."""
    words = first.split(), second.split()
    found = aligned(*words)
    one, other = (_with_bold(words[side], found.differing(side)) for side in (0, 1))
    return one, other


def before_and_after(found: BeforeAfter) -> str:
    """Return both translations in Markdown, one below the other, or that it stays."""
    before, after = found.before.translation.text, found.after.translation.text
    if found.same_text:
        return _("The translation stays: {text}").format(text=plain(before) or "–")
    one, other = marked(before, after)
    return _("Before: {before}  \nAfter: {after}").format(before=one, after=other)


def _with_bold(words: Sequence[str], differing: Sequence[int]) -> str:
    marked_words = (
        f"**{plain(word)}**" if at in differing else plain(word) for at, word in enumerate(words)
    )
    return " ".join(marked_words) or "–"
