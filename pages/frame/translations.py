"""What is said of a picture together with translations, in as little room as it needs."""

import streamlit as st

from pages.frame.language import _

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
