"""Says to a visitor of a class who she is, and lets her sign out."""

from html import escape

import streamlit as st

from pages.classroom import current, settings
from pages.classroom.sign_in import SIGN_OUT
from pages.frame.language import _


def say() -> None:
    """Say as whom somebody has signed in; nothing where nobody has to."""
    if settings.opened() is None:
        return
    name = current.visitor().name
    said = _("Signed in as {name}.").format(name=name) if name else _("Signed in as the teacher.")
    # A link of Markdown would open another tab.
    leave = escape(_("Sign out"))
    link = f'<a href="{SIGN_OUT}" target="_self" style="color: inherit">{leave}</a>'
    st.html(f"<small>{escape(said)} {link}</small>", width="content")
