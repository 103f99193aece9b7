"""A tour: stops that open live views, each with a question, something to do, and the answer.

A tour is the app's own, or a teacher's, a small TOML file in the folder `tours/`:
`tours/monday.toml` opens with `?tour=monday`; `EXAMPLE` shows all that it may hold. A link may be
copied from the app, whatever its address is; `shows` holds the choices that answer the question,
and only `title` and `link` must be there. A file may come from a stranger: it opens pages of the
app and nothing else, and one that is too large or nested too deeply is refused.

No number stands in the app's own tour: the numbers of an answer are the line "What you see" of the
stop's own view, which is kept back until the visitor asks for it.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from pages.frame import language, layout, links, session, texts
from pages.frame.language import _, n_, number, plain
from pages.frame.messages import explained

TOUR, STOP, REVEALED = "tour", "stop", "revealed"
"""In the URL: which tour, which of its stops, and whether its answer is shown."""
BEFORE, AFTER = "quiz_before", "quiz_after"
"""In the URL: what was answered before the tour and after it; it goes along from stop to stop."""
OWN = "paper"
"""The name of the app's own tour, `pages/texts/<language>/tour.toml`."""
TOURS = Path("tours")
"""Where a teacher's are, in the folder that the app is started in."""
EXAMPLE = """\
title = "Monday's lesson"

[[stop]]
title = "Who is tired?"
link = "/?view=lines&sentence=The+dog+slept+because+it+was+tired."
text = "Each word on the left looks at the words on the right."
question = "Where does “it” look?"
task = "Rest the pointer on “it”."
answer = "At its noun: so the model knows which pronoun to write."
shows = "side=query&token=4"
"""
LARGEST, MOST_STOPS = 100_000, 100
"""Bytes of a file, and stops of a tour."""
_NAME = re.compile(r"[\w-]{1,60}")
"""A longer one may be no file's on some disk."""
_DEEP = re.compile(r"(?:\.\s*[\w\"'-]+\s*){50}")
"""A name of 50 parts: one of some thousands would take minutes to read."""
_WORDS = ("title", "text", "question", "task", "answer")
_TEXTS = (*_WORDS, "link", "shows")
BACK, NEXT, REVEAL = "tour_back", "tour_next", "tour_reveal"
"""Keys of the buttons; `presentation.js` presses them, the first two with the arrow keys."""
_NUMBERED = (
    *("", "whole", "pronoun", "silence", "silence", "heads", "cross-attention", "decoding"),
    *("mistake", "mistake", "masks", "embedding", "query-key-value", "residual", "onward"),
)
"""The stops of the app's own tour that older links mean, which number them from 1 on."""
_STORAGE = "tour"
_LEADING_ELSEWHERE = re.compile(r"[\[\]<]")


class TourError(ValueError):
    """A tour that cannot be opened; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One view and a question on it."""

    name: str
    """In the URL; a number in a teacher's tour."""
    title: str
    page: str
    """One of `links.PAGES`."""
    query: Mapping[str, str]
    """What the page opens with: name → value, as in links."""
    text: str = ""
    """To be read before the question."""
    question: str = ""
    task: str = ""
    """What to click to find out."""
    answer: str = ""
    """Why it is so: shown, with what the view computes, when somebody asks."""
    shows: Mapping[str, str] = field(default_factory=dict)
    """The choices that answer the question: the task comes to them."""
    clicks: tuple[str, ...] = ()
    """Keys of the controls that the task asks to use: they are seen in presentation mode, too."""
    onward: Mapping[str, str] = field(default_factory=dict)
    """Label → link: where the stop leads besides."""


@dataclass(frozen=True, slots=True)
class Tour:
    """Stops in their order."""

    name: str
    """In links."""
    title: str
    stops: tuple[Stop, ...]


def own_tour() -> Tour:
    """Return the app's own tour in the visitor's language."""
    entries = texts.toml("tour")
    return Tour(OWN, entries["title"], tuple(_stop(*each) for each in entries["stop"].items()))


def tour_names() -> list[str]:
    """Return the names of the tours in `TOURS`, in their order."""
    return sorted(file.stem for file in TOURS.glob("*.toml") if _NAME.fullmatch(file.stem))


def read_tour(name: str) -> Tour:
    """Return the app's own tour, `OWN`, or that of a file.

    Raises:
        TourError: There is no such file, or it is no tour; the message says what is wrong.
    """
    if name == OWN:
        return own_tour()
    file = TOURS / f"{name}.toml"
    if not _NAME.fullmatch(name) or not file.is_file():
        raise TourError(_("There is no tour named {name}.").format(name=name))
    written = _read(file)
    stops = written.get("stop")
    if not isinstance(stops, list) or not stops:
        raise TourError(_("{file} has no [[stop]].").format(file=file))
    if len(stops) > MOST_STOPS:
        raise TourError(_too_large(file))
    title = str(written.get("title", name))
    return Tour(name, title, tuple(_checked(each, at, file) for at, each in enumerate(stops, 1)))


def _read(file: Path) -> dict[str, object]:
    try:
        if file.stat().st_size > LARGEST:
            raise TourError(_too_large(file))
        text = file.read_text("utf-8")
        if _DEEP.search(text):
            raise TourError(_too_large(file))
        return tomllib.loads(text)
    except RecursionError as error:
        raise TourError(_too_large(file)) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        text = _("{file} cannot be read: {why}")
        raise TourError(text.format(file=file, why=explained(error))) from error


def _too_large(file: Path) -> str:
    return _("{file} is larger, or nested more deeply, than a tour may be.").format(file=file)


def _checked(entry: object, at: int, file: Path) -> Stop:
    """Return a stop of a stranger's file."""
    entries = entry if isinstance(entry, Mapping) else {}
    for name in ("title", "link"):
        if not entries.get(name):
            text = _("Stop {at} of {file} has no {name}.")
            raise TourError(text.format(at=at, file=file, name=name))
    for name, value in entries.items():
        if name not in _TEXTS or not isinstance(value, str):
            text = _("Stop {at} of {file}: {name} is not one of the texts {known}.")
            known = ", ".join(_TEXTS)
            raise TourError(text.format(at=at, file=file, name=name, known=known))
    try:
        page, _query = links.read(entries["link"])
    except ValueError:
        # It names another machine in a way that is no address.
        page = entries["link"]
    if page not in (*links.PAGES, *links.OLDER_PAGES):
        text = _("Stop {at} of {file}: there is no page {page}.")
        raise TourError(text.format(at=at, file=file, page=page))
    return _stop(str(at), entries)


def _stop(name: str, written: Mapping[str, Any]) -> Stop:
    page, query = links.read(written["link"])
    return Stop(
        name=name,
        page=page,
        # A link may be copied while another tour is open.
        query={each: text for each, text in query.items() if each not in (TOUR, STOP)},
        shows=dict(parse_qsl(written.get("shows", "").lstrip("?"), keep_blank_values=True)),
        clicks=tuple(written.get("clicks", ())),
        onward={each["label"]: each["link"] for each in written.get("onward", {}).values()},
        **{each: written.get(each, "") for each in _WORDS},
    )


def draw() -> None:
    """Draw the stop that the address asks for, if it asks for one, above the page."""
    # Always there: a part of the page is known by its place.
    with st.container():
        session.storage(_STORAGE)["kept_back"] = False
        name = session.linked(TOUR)
        if name is None:
            return
        try:
            tour = read_tour(name)
        except TourError as error:
            st.error(plain(explained(error)))
            return
        with st.container(key=layout.TOUR, border=True):
            _draw(tour, _asked_for(tour))


def _asked_for(tour: Tour) -> int:
    """Return the stop that the address names; where it names none, or by number, go there."""
    asked = session.linked(STOP) or ""
    names = [stop.name for stop in tour.stops]
    if asked in names:
        return names.index(asked)
    older = session.position(asked, len(_NUMBERED)) if tour.name == OWN else None
    at = names.index(_NUMBERED[older]) if older else 0
    # On the way back it would be a trap.
    if not session.is_way_back():
        go(tour, at)
    return at


def go(tour: Tour, at: int, *, revealed: bool = False) -> None:
    """Open a stop, counted from 0, with only its own choices; the rest of this run is not drawn."""
    stop, query = tour.stops[at], _query(tour, at)
    if revealed:
        query |= {**stop.shows, REVEALED: "true"}
    session.reset(query, keep=[language.LANGUAGE, BEFORE, AFTER])
    links.go(stop.page, query)


def keeps_back() -> bool:
    """Return whether what is seen is the answer to a question that is still open."""
    return bool(session.storage(_STORAGE).get("kept_back"))


def link(tour: Tour, at: int, *, whole: bool = False) -> None:
    """Show a link to a stop, counted from 0, or to the whole tour under its title."""
    stop = tour.stops[at]
    label = tour.title if whole else f"{number(at + 1)} · {stop.title}"
    links.link(stop.page, plain(label), None, _query(tour, at))


def minutes(tour: Tour) -> str:
    """Return how long a tour takes, a minute a stop, in words."""
    n = len(tour.stops)
    return n_("{n} min", "{n} min", n)


def _draw(tour: Tour, at: int) -> None:
    stop = tour.stops[at]
    revealed = session.flag(REVEALED)
    is_here = session.current().page == stop.page
    session.storage(_STORAGE)["kept_back"] = is_here and not revealed
    if not is_here:
        with st.container(horizontal=True, vertical_alignment="center"):
            _say_where(tour, at)
            if st.button(_("Back to the stop"), key="tour_here", icon=":material/undo:"):
                go(tour, at, revealed=revealed)
            _go_on(tour, at)
        return
    asked, found, onward = st.columns([9, 14, 6], gap="small")
    with asked:
        _say_where(tour, at)
        _ask(stop)
    with found:
        _answer(stop, revealed=revealed)
    with onward, st.container(key=layout.TOUR_ONWARD):
        _offer_answer(stop, revealed=revealed)
        _go_on(tour, at)
    st.html(layout.shown_too(stop.clicks))


def _say_where(tour: Tour, at: int) -> None:
    where = _("Stop {at} of {n}").format(at=number(at + 1), n=number(len(tour.stops)))
    with st.container(key=layout.TOUR_AT):
        st.markdown(f":small[{where} · **{_marked(tour.stops[at].title)}**]")


def _ask(stop: Stop) -> None:
    if stop.text:
        with st.container(key=layout.TOUR_TEXT):
            st.markdown(f":small[{_marked(stop.text)}]")
    if stop.question:
        st.markdown(f"**{_marked(stop.question)}**")


def _answer(stop: Stop, *, revealed: bool) -> None:
    """Say what to do to find out, or why it is so, and where the stop leads besides."""
    if revealed and stop.answer:
        st.markdown(f":small[{_marked(stop.answer)}]")
    elif stop.task:
        attempt = _("Try")
        st.markdown(f":small[**{attempt}** {_marked(stop.task)}]")
    with st.container(horizontal=True, gap="small"):
        for label, address in stop.onward.items():
            page, query = links.read(address)
            links.link(page, label, ":material/arrow_forward:", query)


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
        on_click=session.choose,
        args=(asked,),
        width="stretch",
    )


def _go_on(tour: Tour, at: int) -> None:
    with st.container(horizontal=True, gap="xxsmall"):
        # Without a bubble: the pointer rests on Next, and a bubble would hide what is above it.
        back = st.button(_("Back"), key=BACK, icon=":material/arrow_back:", disabled=at == 0)
        onward = st.button(
            _("Next"), key=NEXT, icon=":material/arrow_forward:", disabled=at == len(tour.stops) - 1
        )
        st.button(
            _("Leave"),
            key="tour_leave",
            type="tertiary",
            icon=":material/close:",
            on_click=session.choose,
            args=({TOUR: None, STOP: None, REVEALED: None, session.BRIEF: None},),
        )
    if back or onward:
        go(tour, at + (1 if onward else -1))


def _query(tour: Tour, at: int) -> dict[str, str]:
    return {**tour.stops[at].query, TOUR: tour.name, STOP: tour.stops[at].name}


def _marked(written: str) -> str:
    """Return a text as Markdown in which no link and no picture is: a tour may be a stranger's."""
    return _LEADING_ELSEWHERE.sub(lambda sign: f"&#{ord(sign[0])};", written)
