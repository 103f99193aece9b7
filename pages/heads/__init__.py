"""Does this head matter? Silence it, override it, score it."""

from typing import NoReturn

from pages.frame import address, card_link, links, session
from pages.frame.language import N_
from pages.frame.needs import Need
from pages.frame.opening import Opened
from pages.frame.view import View, of_sentence
from pages.frame.visit import is_way_back
from pages.heads import (
    alike,
    attribution,
    card,
    override,
    patch,
    paths,
    prune,
    scores,
    silence,
    silence_sentence,
)


def render() -> None:
    """Ask for a sentence and a view, and show it."""
    if address.text_of(session.TRIAL) == "guided":
        address.choose({session.TRIAL: None})
        if not is_way_back():
            _compare_models()
    of_sentence(VIEWS, session.TRIAL, needs=card_link.OF_PAGE)


def _compare_models() -> NoReturn:
    """Go where a free and a guided run are compared, as a view of this page did for older links."""
    query = {session.VIEW: "compare", session.OTHER: "models"}
    # No other run has the task of everyday, with which the app begins.
    if address.text_of(session.MODEL) in (None, "everyday"):
        query |= {session.MODEL: "translate-guided"}
    links.go("", query)


VIEWS: tuple[View[Opened], ...] = (
    View(
        "silence",
        N_("silence"),
        N_("Take heads away: what becomes of the sentence, and of sentences never seen?"),
        silence.draw,
        says_sentence=True,
        needs=(Need.WRITING,),
        telling=silence_sentence.telling,
    ),
    View(
        "prune",
        N_("prune"),
        N_("Silence one head after the other: how many does the task really need?"),
        prune.draw,
        of_sentence=False,
        needs=(Need.TASK, Need.BOTH),
    ),
    View(
        "override",
        N_("override"),
        N_("Make one row of one head look elsewhere, and read what the model then writes."),
        override.draw,
        needs=(Need.WRITING,),
    ),
    View(
        "patch",
        N_("patch"),
        N_("Put what a head says in one sentence into another: which carries the difference?"),
        patch.draw,
        needs=(Need.WRITING,),
    ),
    View(
        "paths",
        N_("paths"),
        N_(
            "Path patching: head A writes, head B reads. Does the output change if this one "
            "message is exchanged?"
        ),
        paths.draw,
        needs=(Need.WRITING,),
        # There one path alone is seen in what is written.
        model=paths.TELLING,
    ),
    View(
        "scores",
        N_("roles"),
        N_("The **role** of each head: what it looks at and how often, beside a baseline."),
        scores.draw,
        of_sentence=False,
    ),
    View(
        "card",
        N_("card"),
        N_(
            "All that is known of **one head**: where it points most, at what, how sharply, its "
            "roles, what silencing it costs, and which heads are like it."
        ),
        card.draw,
        of_sentence=False,
        needs=card_link.OF_CARD,
    ),
    View(
        "alike",
        N_("alike"),
        N_(
            "Which heads look at the same tokens? 1: always the same weights; 0: never a token in "
            "common."
        ),
        alike.draw,
        needs=(Need.TEXTS,),
    ),
    View(
        "attribution",
        N_("attribution"),
        N_(
            "Which tokens a word depends on. Hiding a token (**leave one out**) is what the other "
            "methods are tested by."
        ),
        attribution.draw,
        needs=(
            Need.ENCODER_SELF,
            Need.WRITING,
        ),
    ),
)
