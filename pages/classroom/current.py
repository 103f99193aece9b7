"""Whoever a run of the app is for."""

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from pages.classroom import cookie, settings
from pages.classroom.visitors import ALONE, Visitor


def visitor() -> Visitor:
    """Return who looks: without a class the one user; with one, whoever the guard let in.

    Nothing more is drawn for whoever has left meanwhile.
    """
    classroom = settings.opened()
    if classroom is None:
        return ALONE
    found = cookie.visitor_of(classroom, st.context.cookies.get(cookie.NAME, ""))
    if found is None:
        raise StopException
    return found
