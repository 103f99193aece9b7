"""How often tokens look at themselves most, on held-out sentences; told below a kind of heads."""

from functools import partial

import streamlit as st

from core.heads import Kind
from core.runs.run import RunError
from core.studies.heads.roles import own_position
from pages.frame import cached, measured_on
from pages.frame.folded import fold
from pages.frame.language import _, number, percent, plain
from pages.frame.messages import explained
from pages.frame.opening import Opened


def fold_in(opened: Opened, kind: Kind) -> None:
    """Offer to count it, in a second or two."""
    title = _("Does a token look at itself most?")
    fold(title, "itself", partial(_draw, opened, kind), compact=True)


def _draw(opened: Opened, kind: Kind) -> None:
    try:
        found = cached.of_run(own_position, opened.path, kind)
    except RunError as error:
        st.info(plain(explained(error)))
        return
    text = _(
        "In {sentences} the largest weight of a row is on the token itself in **{share}** of the "
        "rows of all these heads (n = {rows}); of a head that picks any key it would be {chance}."
    )
    st.markdown(
        text.format(
            sentences=measured_on.sentences(opened.run, found.n_texts),
            share=percent(found.value),
            rows=number(found.n),
            chance=percent(found.baseline),
        )
    )
