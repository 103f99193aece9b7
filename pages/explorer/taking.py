"""Taking a view away: what every view of the attention page hands over, and how it is offered."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.shared.text import FORMULA, HOW_TO_READ, _
from viz.payload import Assets

Column = Sequence[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taking:
    """What can be taken away of a view, and what stands below it."""

    name: str
    """Of the files, without an ending."""
    title: str
    """What is shown, in a sentence."""
    numbers: Callable[[], Mapping[str, Column]]
    """Every number that is shown, exact: name of a column → its values, all of the same length."""
    lines: str
    """Python that computes the numbers with `core`; they end up in the variable `numbers`."""
    code: Sequence[Callable[..., object] | type]
    """The functions of `core` that made it."""
    component: tuple[Assets, Callable[[], bytes]] | None = None
    """The component that draws it and what it draws; None where there is none."""
    how_to_read: str = HOW_TO_READ
    formula: str = FORMULA


def offer(taken: Taking) -> None:
    """Offer files, link, Python and explanations below a view."""
    with st.expander(_("How to read this")):
        st.markdown(taken.how_to_read)
    with st.expander(_("Formula")):
        st.latex(taken.formula)
    with st.expander(_("Code that computes it")):
        for function in taken.code:
            st.code(inspect.getsource(function))
