"""A tour: stops that open live views, each with something to predict, to do, and to find out.

What is found out is never written down: it is the line "What you see" of the stop's own view, which
is kept back until the visitor asks for it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import streamlit as st

from pages.frame import address, language, layout, links, presentation, session
from pages.frame.language import _, n_, number, plain
from pages.frame.messages import explained
from pages.frame.tour_sheet import Task, sheet

TOUR, STOP, REVEALED = "tour", "stop", "revealed"
"""In the URL: which tour, which of its stops from 1 on, and whether its answer is shown."""
BACK, NEXT, REVEAL = "tour_back", "tour_next", "tour_reveal"
"""Keys of the buttons; `layout` presses the first two with the arrow keys."""
FIRST_PAGE = "attention"
"""It has no address of its own."""
_DRAWER = "tour"
_LEADING_ELSEWHERE = re.compile(r"[\[\]<]")


class TourError(ValueError):
    """A tour that cannot be opened; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One view, what is said of it, and what is asked."""

    title: str
    page: str
    """As `app.py` lists it; `FIRST_PAGE` for the first."""
    query: Mapping[str, str]
    """What the page opens with: name → value, as in links."""
    text: str
    """Two sentences, to be read before anything is done."""
    question: str
    """To be answered before the answer is shown."""
    task: str
    """What to do to find out."""
    shows: Mapping[str, str] = field(default_factory=dict)
    """What the task comes to: the choices that are made for whoever asks for the answer."""
    clicks: tuple[str, ...] = ()
    """Keys of the controls that the task asks to use: they are seen in presentation mode, too."""


@dataclass(frozen=True, slots=True)
class Tour:
    """Stops in their order."""

    name: str
    """In links."""
    title: str
    stops: tuple[Stop, ...]

    @property
    def minutes(self) -> int:
        """About how long it takes: a minute for each stop."""
        return len(self.stops)


def draw(own: Tour, read: Callable[[str], Tour]) -> None:
    """Draw the stop that the address asks for, if it asks for one, above the page.

    Args:
        own: The app's.
        read: Returns another tour by its name, or raises TourError.
    """
    # Always there: a part of the page is known by its place.
    with st.container():
        session.drawer(_DRAWER)["kept_back"] = False
        name = address.linked(TOUR)
        if name is None:
            return
        try:
            tour = own if name == own.name else read(name)
        except TourError as error:
            st.error(plain(explained(error)))
            return
        with st.container(key=layout.TOUR, border=True):
            _draw(tour)


def go(tour: Tour, at: int, *, revealed: bool = False) -> None:
    """Open a stop, with nothing chosen but what it says; the rest of this run is not drawn.

    Args:
        tour: Which tour.
        at: Which stop, counted from 0.
        revealed: Whether its answer was shown: it still is.
    """
    stop, query = tour.stops[at], _query(tour, at)
    if revealed:
        query |= {**stop.shows, REVEALED: "true"}
    address.begin_anew(query, keep=[language.LANGUAGE])
    links.go("" if stop.page == FIRST_PAGE else stop.page, query)


def keeps_back() -> bool:
    """Say whether what is seen is the answer to a question that is still open."""
    return bool(session.drawer(_DRAWER).get("kept_back"))


def answered(seen: str) -> None:
    """Note what a view says that is seen: the answer, where the stop's own view is shown."""
    drawer = session.drawer(_DRAWER)
    if at := drawer.get("at"):
        drawer.setdefault("answers", {})[at] = seen


def answers(tour: Tour) -> dict[int, str]:
    """Return the answers that this visit has been shown, in Markdown, by the stop from 0 on."""
    found = session.drawer(_DRAWER).get("answers", {})
    return {at: seen for (name, at), seen in found.items() if name == tour.name}


def link(tour: Tour, at: int, *, whole: bool = False) -> None:
    """Show a link to a stop.

    Args:
        tour: Which tour.
        at: Which stop, counted from 0.
        whole: Whether it stands for the tour, and is called like that.
    """
    stop = tour.stops[at]
    label = _text(tour.title) if whole else f"{number(at + 1)} · {_text(stop.title)}"
    address_of = "" if stop.page == FIRST_PAGE else stop.page
    links.link(address_of, plain(label), None, _query(tour, at))


def offer_tasks(tour: Tour) -> None:
    """Offer what a tour asks, to be printed."""
    st.download_button(
        _("Tasks"),
        data=language.in_this_language(lambda: sheet(_text(tour.title), tasks(tour))),
        file_name=f"{tour.name}.html",
        mime="text/html",
        on_click="ignore",
        type="tertiary",
        icon=":material/print:",
        help=_("All tasks to print, with the answers that you have seen"),
        key="tour_tasks",
    )


def tasks(tour: Tour) -> list[Task]:
    """Return what a tour asks, with the answers that this visit has been shown."""
    known = answers(tour)
    return [
        Task(_text(stop.title), _text(stop.question), _text(stop.task), known.get(at, ""))
        for at, stop in enumerate(tour.stops)
    ]


def _draw(tour: Tour) -> None:
    n = len(tour.stops)
    at = address.value(STOP, {str(i + 1): i + 1 for i in range(n)}.get, 1) - 1
    stop = tour.stops[at]
    revealed = address.value(REVEALED, {"true": True, "false": False}.get, False)
    is_here = address.page() == stop.page
    drawer = session.drawer(_DRAWER)
    drawer["kept_back"] = is_here and not revealed
    drawer["at"] = (tour.name, at) if is_here and revealed else None
    where = _("Stop {at} of {n}").format(at=number(at + 1), n=number(n))
    said, asked, onward = st.columns([11, 11, 6], gap="small")
    with said:
        with st.container(key=layout.TOUR_AT):
            st.markdown(f":small[{where} · **{_marked(stop.title)}**]")
        if is_here and stop.text:
            with st.container(key=layout.TOUR_TEXT):
                st.markdown(f":small[{_marked(stop.text)}]")
    with asked:
        if is_here:
            _ask(stop)
        elif st.button(_("Back to the stop"), key="tour_here", icon=":material/undo:"):
            go(tour, at, revealed=revealed)
    with onward, st.container(key=layout.TOUR_ONWARD):
        if is_here:
            _offer_answer(stop, revealed=revealed)
        _go_on(tour, at)
    if is_here:
        st.html(presentation.shown_too(stop.clicks))


def _ask(stop: Stop) -> None:
    """Ask what will be seen, and say how to find out."""
    predict, attempt = _("Predict"), _("Try")
    if stop.question:
        st.markdown(f":small[**{predict}** {_marked(stop.question)}]")
    if stop.task:
        with st.container(key=layout.TOUR_TASK):
            st.markdown(f":small[**{attempt}** {_marked(stop.task)}]")


def _offer_answer(stop: Stop, *, revealed: bool) -> None:
    asked: dict[str, str | None] = {**stop.shows, REVEALED: "true"}
    if revealed:
        # As the stop began.
        asked = {name: stop.query.get(name) for name in asked}
    st.button(
        _("Hide the answer") if revealed else _("Show the answer"),
        key=REVEAL,
        type="secondary" if revealed else "primary",
        icon=":material/visibility_off:" if revealed else ":material/visibility:",
        on_click=address.choose,
        args=(asked,),
        width="stretch",
    )


def _go_on(tour: Tour, at: int) -> None:
    with st.container(horizontal=True, gap="xxsmall"):
        # Without a bubble: the pointer rests on Next, and a bubble would hide what is above it.
        back = st.button(_("Back"), key=BACK, icon=":material/arrow_back:", disabled=at == 0)
        onward = st.button(
            _("Next"),
            key=NEXT,
            icon=":material/arrow_forward:",
            disabled=at == len(tour.stops) - 1,
        )
        st.button(
            _("Leave"),
            key="tour_leave",
            type="tertiary",
            icon=":material/close:",
            on_click=address.choose,
            args=({TOUR: None, STOP: None, REVEALED: None},),
        )
    if back or onward:
        go(tour, at + (1 if onward else -1))


def _query(tour: Tour, at: int) -> dict[str, str]:
    return {**tour.stops[at].query, TOUR: tour.name, STOP: str(at + 1)}


def _text(written: str) -> str:
    """Return a text of a stop in the reader's language; a teacher's own stays as it is."""
    return _(written) if written else ""


def _marked(written: str) -> str:
    """Return a text as Markdown in which no link and no picture is: a tour may be a stranger's."""
    return _LEADING_ELSEWHERE.sub(lambda sign: f"&#{ord(sign[0])};", _text(written))


def minutes(tour: Tour) -> str:
    """Return how long a tour takes, in words."""
    return n_("{n} min", "{n} min", tour.minutes).format(n=number(tour.minutes))
