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
    # No link: a page of another site could lead there.
    leave = escape(_("Sign out"))
    form = (
        f'<form method="post" action="{SIGN_OUT}" style="display: inline">'
        '<button style="all: unset; cursor: pointer; text-decoration: underline">'
        f"{leave}</button></form>"
    )
    st.html(f"<small>{escape(said)} {form}</small>", width="content")
