"""The glossary: every term once, with a view that shows it."""

import streamlit as st

from pages.frame import glossary, links
from pages.frame.glossary import Term
from pages.frame.language import _, capitalised, listed


def render() -> None:
    """List the terms by the alphabet of the reader's language."""
    heading = _("Glossary")
    st.markdown(f"**{heading}**")
    text = _(
        "In the text of a page, underlined or not, each of these words is explained when the "
        "pointer rests on it; in pictures, tables and sentences it is not."
    )
    st.markdown(f":small[{text}]")
    links.link_to_misconceptions()
    terms = sorted(glossary.terms(), key=lambda term: term.forms[0].casefold())
    half = (len(terms) + 1) // 2
    with st.container(key="glossary"):
        columns = st.columns(2, gap="large")
        for at, term in enumerate(terms):
            with columns[at // half]:
                _say(term)


def _say(term: Term) -> None:
    heading, *others = term.forms
    # What the papers call it stands beside what the reader's language does.
    if term.english.casefold() not in {each.casefold() for each in term.forms}:
        others.insert(0, term.english)
    also = f" :small[:gray[{listed(others)}]]" if others else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{capitalised(heading)}**{also}", width="content")
        links.link(term.page, _("See it"), None, term.query)
    st.markdown(f":small[{term.text}]")


if __name__ == "__main__":
    from app import main

    main()
