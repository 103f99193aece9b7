"""The first screen: what the app is, shown by one sentence on its way through a model."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.heads import Head
from core.inspection import Inspection
from core.runs.run import Run, RunError
from core.studies.heads.findings import best_pronoun_head, pronouns_among
from core.tasks import Task
from pages.frame import (
    cached,
    controls,
    language,
    layout,
    notes,
    service,
    session,
    tour,
    typography,
    view,
)
from pages.frame.language import _, percent, plain
from pages.frame.messages import explained
from pages.frame.selection import Opened, inspecting
from pages.frame.tour import read_tour
from pages.frame.typography import typeset
from pages.views.attention import forward_pass

TYPE, TOUR = "start_type", "start_tour"
N_OFFERED = 2
"""The task's examples that are offered: they differ in one word, and the pronoun changes sides."""


@dataclass(frozen=True, slots=True)
class First:
    """What the app begins with."""

    path: Path
    run: Run
    task: Task
    head: Head
    """The one that finds best what a pronoun stands for."""


def first_screen(paper: tour.Tour) -> First | None:
    """Return what the start page shows to visitors of the bare address.

    It stays until they go on. There is none where no head of the first model finds what a pronoun
    stands for. Where the app is served with a tour, a visitor begins with that instead.

    Args:
        paper: The app's own tour.
    """
    held = session.storage("start")
    if session.is_way_back() or (not session.current().names_of and "open" not in held):
        # A visitor who requests the page by name follows a link; on the way back, what was chosen
        # on the start itself is in its address.
        own = (session.SENTENCE, *forward_pass.CHOICES) if session.is_way_back() else ()
        is_own = session.is_bare(language.LANGUAGE, *own)
        held["open"] = is_own and session.url_path() != "attention"
        # On the way back it would be a trap.
        if held["open"] and not session.is_way_back():
            _begin_tour(paper)
    elif session.current().entered:
        held["open"] = False
    return _first() if held.get("open") else None


def draw(first: First, paper: tour.Tour) -> None:
    """Draw the pass of one of two sentences, which differ in one word.

    Args:
        first: What to begin with.
        paper: The tour that is offered.
    """
    with st.container(key=layout.START):
        _draw(first, paper)


def _draw(first: First, paper: tour.Tour) -> None:
    run, head = first.run, first.head
    offered = {each.source: _(each.name) for each in first.task.examples[:N_OFFERED]}
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            st.markdown(
                _(
                    "**The Transformer of “Attention Is All You Need”, small enough to look "
                    "into.** It translates: change one word, and see what the pronoun looks at."
                )
            )
        st.button(_("Type your own"), key=TYPE, icon=":material/edit:", on_click=_type_own)
        label = _("Take the tour ({time})").format(time=tour.minutes(paper))
        if st.button(label, key=TOUR, type="primary", icon=":material/tour:"):
            _go_on()
            tour.go(paper, 0)
    with st.container(horizontal=True, vertical_alignment="center"):
        sentence = controls.choice(_("Sentence"), session.SENTENCE, offered, next(iter(offered)))
        inspection = inspecting(first.path, sentence).result()
        translation = typography.in_markdown(
            typeset(inspection.translation.text, run), typography.doubtful_words(inspection)
        )
        st.markdown(f"{plain(sentence)} → {translation}", width="content", unsafe_allow_html=True)
    row = _row_of_pronoun(inspection, first.task)
    opened = Opened(first.path, run, first.task, sentence, inspection)
    forward_pass.show(opened, _what_is_seen(opened, head, row), row, before=_go_on)
    view.say_notice(run)


def _what_is_seen(opened: Opened, head: Head, row: int) -> str:
    """Return where the head looks from a word, with the weight."""
    weights_K = opened.inspection.weights_of(head)[row]
    looked_at = int(weights_K.argmax())
    words = [token.text for token in opened.inspection.source_tokens]
    text = _("“{word}” looks at “{key}” with {weight} of its attention · {where}")
    if notes.is_guided(opened.run, head):
        text = _(
            "“{word}” looks at “{key}” with {weight} of its attention · {where}, trained for it"
        )
    return text.format(
        word=words[row],
        key=words[looked_at],
        weight=percent(float(weights_K[looked_at])),
        where=notes.site_and_head(head),
    )


def _begin_tour(paper: tour.Tour) -> None:
    """Go to the tour with which everybody begins, if there is one; say why where that fails."""
    name = service.current().tour
    if not name:
        return
    try:
        found = paper if name == paper.name else read_tour(name)
    except tour.TourError as error:
        st.error(plain(explained(error)))
        return
    _go_on()
    tour.go(found, 0)


def _go_on() -> None:
    session.storage("start", in_callback=True)["open"] = False


def _type_own() -> None:
    """Go on with the same picture, below a box for any sentence."""
    _go_on()
    session.choose({session.VIEW: forward_pass.VIEW})


def _first() -> First | None:
    path = next(iter(cached.run_paths().values()), None)
    if path is None:
        return None
    try:
        run, task = cached.loaded(path), cached.task(path)
    except RunError:
        return None
    best = best_pronoun_head(run)
    if task is None or best is None or best.head.kind.query_side != "source":
        return None
    return First(path, run, task, best.head) if len(task.examples) >= N_OFFERED else None


def _row_of_pronoun(inspection: Inspection, task: Task) -> int:
    words = [token.text.lower() for token in inspection.source_tokens]
    pronouns = pronouns_among(task, words)
    return next(row for row, word in enumerate(words) if word in pronouns)
