"""Type a sentence, read its translation, and see where every head of the model looks."""

import inspect

import streamlit as st

from core.analysis.findings import best_pronoun_head, most_needed_pronoun_head, pronouns_among
from core.model.attention import attend_probed
from pages.shared import cached, controls, maps, notes, opening, session
from pages.shared.text import FORMULA, HOW_TO_READ, _


def render() -> None:
    """Ask what to look at, and show it."""
    opened = opening.model_and_sentence()
    if opened is None:
        return
    _maps(opened)
    with st.expander(_("How to read this")):
        st.markdown(HOW_TO_READ)
    with st.expander(_("Formula")):
        st.latex(FORMULA)
    with st.expander(_("Code that computes it")):
        st.code(inspect.getsource(attend_probed))


def _maps(opened: opening.Opened) -> None:
    """Ask which head of which attention, and draw it among all others."""
    inspection = opened.inspection
    kinds = list(dict.fromkeys(site.attention for site in inspection.attention))
    with st.container(horizontal=True, vertical_alignment="center"):
        kind = controls.kind(
            kinds, opening.default_kind(opened.run), on_change=opening.open_other_kind
        )
        sites = [site for site in inspection.attention if site.attention == kind]
        layer, head = controls.layer_and_head(
            len(sites), opened.run.settings.model.n_heads, opening.default_head(opened.run, kind)
        )
        if controls.whole_words():
            inspection = cached.inspected(opened.path, opened.sentence, whole_words=True)
        st.caption(notes.size(opened.inspection), width="content")
    if found := notes.warnings(opened.run, inspection, sites[layer], head):
        st.caption(" ".join(found))
    shown = maps.maps_of(inspection, kind, (layer, head), _about_pronouns(opened))
    maps.attention_maps(shown, key=session.MAPS, on_pick=session.take_pick)


def _about_pronouns(opened: opening.Opened) -> str:
    """Say what was measured about the head that the sentence's pronouns need."""
    pronouns = pronouns_among(opened.task, opened.inspection.source_words)
    if not pronouns:
        return ""
    best, needed = best_pronoun_head(opened.run), most_needed_pronoun_head(opened.run)
    if best is None or needed is None:
        return notes.no_evaluation()
    return notes.pronoun_head(pronouns, best, needed)


if __name__ == "__main__":
    from app import main

    main()
