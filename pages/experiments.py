"""Claims about the Transformer, each tested by variants trained under equal conditions."""

import streamlit as st

from pages.frame import layout, lessons
from pages.frame import view as views
from pages.frame.language import _, plain
from pages.frame.view import View
from pages.views.experiments import (
    answer,
    conditions,
    distances,
    layers,
    learning,
    lengths,
    question,
    run_here,
)
from pages.views.experiments.question import Asked

VIEWS: tuple[View[Asked], ...] = (
    View("experiments", "answer", answer.draw),
    View("experiments", "lengths", lengths.draw),
    View("experiments", "learning", learning.draw),
)
DISTANCES: View[Asked] = View(
    "experiments",
    "distances",
    distances.draw,
)
"""Only where that was measured, as the next."""
LAYERS: View[Asked] = View(
    "experiments",
    "layers",
    layers.draw,
)
OUTCOME = "outcome"
"""In the URL: the view."""


def _offered(asked: Asked) -> tuple[View[Asked], ...]:
    measured = {DISTANCES: distances.measured(asked), LAYERS: layers.measured(asked)}
    return (*VIEWS, *(view for view, there in measured.items() if there))


def _ask_view(asked: Asked) -> View[Asked]:
    """Ask for a view; one opens on what the claim is about."""
    views_of = _offered(asked)
    about = DISTANCES if asked.experiment.by_distance and DISTANCES in views_of else VIEWS[0]
    return views.choose(views_of, OUTCOME, about.name)


def render() -> None:
    """Ask for a question, and show what is claimed, what came out, and how to run it again."""
    experiment = question.ask_question()
    with st.container(horizontal=True, vertical_alignment="center"):
        asked = question.ask_results(experiment)
        view = _ask_view(asked) if asked else None
        with st.container(width="stretch", key=layout.CLAIM):
            claim = _("**Claim.** {claim}").format(claim=_(experiment.claim))
            st.markdown(f":small[{claim} :gray[({plain(experiment.source)})]]")
    # Always there: Streamlit knows a part by its place.
    with st.container():
        if asked is None:
            st.info(_("This experiment was not run yet. Run it here; it needs nothing but time."))
        elif view is not None:
            conditions.draw(asked)
            views.show(view, asked, {"task": experiment.task})
    with st.container(horizontal=True):
        lessons.link_to_lesson(experiment.name)
    run_here.offer(experiment)


if __name__ == "__main__":
    from app import main

    main()
