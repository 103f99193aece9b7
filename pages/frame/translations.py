"""What is said of a picture together with translations, in as little room as it needs."""

import streamlit as st

from pages.frame.language import _

LONG = 600
"""Letters of translations that push the picture too far down."""


def say(translations: str) -> None:
    """Show translations; folded where they are long."""
    if len(translations) <= LONG:
        st.markdown(translations)
        return
    with st.expander(_("Translations"), type="compact"):
        st.markdown(translations)
