"""You are here: the part of the whole pass that a view looks into, with the way back to it."""

from itertools import groupby

import streamlit as st

from core.heads import Kind
from core.runs.run import Run
from pages.frame import links, session
from pages.frame.language import _
from viz.whole.thumbnail import Part, thumbnail


def link_to_pass(run: Run, part: Part) -> None:
    """Draw the model as a small mark that leads to the whole pass; the session keeps the rest.

    Args:
        run: Whose model it is.
        part: What the view looks into. Of attention, the kind that is chosen, or all kinds.
    """
    chosen = session.text_of(session.KIND)
    kinds = {chosen} if chosen in set(Kind) else set(Kind)
    sites = [block.site for layer in run.model.layers() for block, _residual in layer.blocks()]
    stacks = [
        [(site.is_attention, site.is_attention and site.attention in kinds) for site in own]
        for _side, own in groupby(sites, lambda site: site.side)
    ]
    name = _("The whole pass")
    mark = f"![]({thumbnail(stacks, part)}) {name}"
    tooltip = _("The whole model; this view looks into what is blue. Click to see all of it.")
    with st.container(key="here", width="content"):
        links.link("", mark, None, {}, tooltip)
