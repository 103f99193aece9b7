"""Claims about the Transformer, each tested by variants trained under equal conditions."""

import streamlit as st

from pages.frame import links, old_links, session
from pages.frame import view as views
from pages.frame.language import _, plain
from pages.frame.view import View
from pages.views.experiments import answer, conditions, learning, lengths, question, run_here
from pages.views.experiments.question import Asked

VIEWS: tuple[View[Asked], ...] = (
    View("experiments", "answer", answer.draw),
    View("experiments", "lengths", lengths.draw),
    View("experiments", "learning", learning.draw),
)
OUTCOME = "outcome"
"""In the URL: the view."""


def render() -> None:
    """Ask for a question, and show what is claimed, what came out, and how to run it again."""
    old_links.follow("experiments", OUTCOME)
    experiment = question.ask_question()
    # Another question opens on its answer.
    for name in (OUTCOME, learning.MEASURE):
        session.belongs_to(name, experiment.name)
    with st.container(key="claim"):
        claim = _("**Claim.** {claim}").format(claim=_(experiment.claim))
        st.markdown(f":small[{claim} :gray[({plain(experiment.source)})]]")
    with st.container(horizontal=True, vertical_alignment="center"):
        asked = question.ask_results(experiment)
        view = None
        if asked is not None:
            usual = "lengths" if lengths.opens(asked) else "answer"
            view = views.choose(VIEWS, OUTCOME, usual)
    # Always there: Streamlit knows a part by its place.
    with st.container():
        if asked is None or view is None:
            st.info(_("This experiment was not run yet. Run it here; it needs nothing but time."))
        else:
            views.name_missing(VIEWS, OUTCOME)
            views.show(view, asked, {"task": experiment.task})
    if asked is not None:
        conditions.draw(asked)
    with st.container(horizontal=True):
        links.link_to_lesson(experiment.name)
    run_here.offer(experiment)


if __name__ == "__main__":
    from app import main

    main()
