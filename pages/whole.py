"""The first page: a sentence on its way through the whole model, from the words to the words."""

import streamlit as st

from pages.frame import language, links, passes, selection, service, session, tour, view
from pages.frame.language import _, plain
from pages.frame.messages import explained
from pages.frame.view import View
from pages.views.whole import forward_pass

VIEWS = (View("whole", "pass", forward_pass.draw),)
TAKE_TOUR = "start_tour"
OF_MAPS = {session.KIND, session.LAYER, session.HEAD, session.OTHER, session.HOW}
"""What older links to the first page chose of the maps that were there."""


def render() -> None:
    """Say what the app is, ask for a model and a sentence, and draw the pass."""
    paper = tour.own_tour()
    _lead_on(paper)
    if not session.text_of(tour.TOUR):
        _introduce(paper)
    view.of_sentence(VIEWS, "pass")


def _introduce(paper: tour.Tour) -> None:
    """Say what the app is, and offer its tour."""
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch", key="introduction"):
            st.markdown(passes.what_it_does(selection.chosen_settings()))
        label = _("Take the tour ({time})").format(time=tour.minutes(paper))
        if st.button(label, key=TAKE_TOUR, type="primary", icon=":material/tour:"):
            tour.go(paper, 0)


def _lead_on(paper: tour.Tour) -> None:
    """Go where an older link leads, or to the tour with which the visitors of a class begin."""
    asked = session.query()
    if session.is_way_back() or session.current().entered:
        # On the way back it would be a trap; a link within the app leads where it says.
        return
    if asked.get(session.VIEW, (VIEWS[0].name,)) != (VIEWS[0].name,) or OF_MAPS & set(asked):
        links.go("attention", {name: list(texts) for name, texts in asked.items()})
    elif not session.current().names_of and set(asked) <= {language.LANGUAGE}:
        _begin_tour(paper)


def _begin_tour(paper: tour.Tour) -> None:
    """Go to the tour with which everybody begins, if there is one; say why where that fails."""
    name = service.current().tour
    if not name:
        return
    try:
        tour.go(paper if name == paper.name else tour.read_tour(name), 0)
    except tour.TourError as error:
        st.error(plain(explained(error)))


if __name__ == "__main__":
    from app import main

    main()
