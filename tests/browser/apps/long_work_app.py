"""A page that computes as long as it is let: before each piece it says so in a pipe, and waits.

Without pipes in the address it says how many visitors there are.
"""

from pathlib import Path

import streamlit as st
from streamlit.runtime import get_instance

from pages.frame import cached, interrupts
from pages.frame.bounded_cache import BoundedCache

N_PIECES = 100
interrupts.LONG = 0.0


@st.cache_resource
def kept() -> BoundedCache[str]:
    """Return where results are kept for all visitors."""
    return BoundedCache(10**6, len)


def make(pipes: Path) -> str:
    """Compute, and say what is begun, or how it ended."""
    with (pipes / "go").open("rb", buffering=0) as go, (pipes / "told").open("w") as told:
        try:
            for piece in range(N_PIECES):
                interrupts.check()
                print(piece, file=told, flush=True)
                go.read(1)
        except BaseException as error:
            print(type(error).__name__, file=told, flush=True)
            raise
    return "all of it"


@st.fragment
def draw() -> None:
    """Show what is computed."""
    pipes = Path(st.query_params["pipes"])
    with interrupts.interruptible():
        with cached.computing():
            made = kept().of(str(pipes), lambda: make(pipes), interrupts.check)
        st.text(made)


if "pipes" in st.query_params:
    draw()
else:
    sessions = get_instance()._session_mgr.list_active_sessions()
    st.text(f"visitors: {len(sessions)}")
    st.button("again", key="again")
