"""What is said of a picture together with translations, in as little room as it needs."""

import re

import streamlit as st

from core.runs.run import Run
from pages.frame.language import _

LONG = 600
"""Letters of translations that push the picture too far down."""
_TAG = re.compile(r"<[^>]*>")


def written(run: Run) -> str:
    """Return what people call what a model writes: a decoder alone goes on from a text."""
    goes_on = run.settings.model.is_decoder_only
    return _("continuation") if goes_on else _("translation")


def written_in_files(run: Run) -> str:
    """Return the same as files have it, whatever the reader's language."""
    return "continuation" if run.settings.model.is_decoder_only else "translation"


def say(translations: str) -> None:
    """Show what is written, with its marks; folded where it is long."""
    # Marks are longer than what they mark.
    if len(_TAG.sub("", translations)) <= LONG:
        st.markdown(translations, unsafe_allow_html=True)
        return
    with st.expander(_("What is written"), type="compact"):
        st.markdown(translations, unsafe_allow_html=True)
