"""The teacher's page in a class: who trains what, and who takes how much of the disk."""

import streamlit as st

from pages.classroom import current, settings
from pages.frame.language import _
from pages.views.visitors import disk, work


def render() -> None:
    """Show what is under way and what is kept; nothing of it to anybody but the teacher."""
    if settings.opened() is None or not current.visitor().is_teacher:
        st.info(_("This page is for the teacher of a class."))
        return
    work.show()
    disk.show()


if __name__ == "__main__":
    from app import main

    main()
