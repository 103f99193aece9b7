"""Tours as files: the app's own, and a teacher's, a small TOML file in the folder `tours/`.

`tours/monday.toml` opens with `?tour=monday`; `EXAMPLE` is what may stand in it. A link may be
copied from the app, whatever its address is; `shows` holds the choices that answer the question,
and only `title` and `link` must be there. A file may come from somebody else: it opens pages of the
app and nothing else, and one that is too large or nested too deeply is refused.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from pages.frame import links, texts
from pages.frame.language import _
from pages.frame.messages import explained

TOUR, STOP, REVEALED = "tour", "stop", "revealed"
"""In the URL: which tour, which of its stops from 1 on, and whether its answer is shown."""
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
shows = "side=query&token=4"
"""
LARGEST, MOST_STOPS = 100_000, 100
"""Bytes of a file, and stops of a tour."""
_NAME = re.compile(r"[\w-]{1,60}")
"""A longer one may be no file's on some disk."""
_DEEP = re.compile(r"(?:\.\s*[\w\"'-]+\s*){50}")
"""A name in so many parts: it would take minutes to read one of some thousands."""
_TEXTS = ("title", "link", "text", "question", "task", "shows")
_NEEDED = ("title", "link")


class TourError(ValueError):
    """A tour that cannot be opened; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One view, what is said of it, and what is asked."""

    title: str
    page: str
    """One of `links.PAGES`."""
    query: Mapping[str, str]
    """What the page opens with: name → value, as in links."""
    text: str = ""
    """Two sentences, to be read before anything is done."""
    question: str = ""
    """To be answered before the answer is shown."""
    task: str = ""
    """What to do to find out."""
    shows: Mapping[str, str] = field(default_factory=dict)
    """The choices that answer the question: the task comes to them."""
    clicks: tuple[str, ...] = ()
    """Keys of the controls that the task asks to use: they are seen in presentation mode, too."""


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
    return Tour(OWN, entries["title"], tuple(map(_stop, entries["stop"].values())))


def tour_names() -> list[str]:
    """Return the names of the tours in `TOURS`, in their order."""
    return sorted(file.stem for file in TOURS.glob("*.toml") if _NAME.fullmatch(file.stem))


def read_tour(name: str) -> Tour:
    """Return a tour by its name.

    Args:
        name: `OWN`, or a file's without its ending.

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


def _checked(written: object, at: int, file: Path) -> Stop:
    """Return a stop of somebody's file."""
    if not isinstance(written, Mapping):
        raise TourError(_("Stop {at} of {file} is no table.").format(at=at, file=file))
    for name in _NEEDED:
        if not written.get(name):
            text = _("Stop {at} of {file} has no {name}.")
            raise TourError(text.format(at=at, file=file, name=name))
    for name, value in written.items():
        if name not in _TEXTS or not isinstance(value, str):
            text = _("Stop {at} of {file}: {name} is not one of the texts {known}.")
            known = ", ".join(_TEXTS)
            raise TourError(text.format(at=at, file=file, name=name, known=known))
    try:
        page, _query = links.read(written["link"])
    except ValueError:
        # What stands for another machine is no address.
        page = written["link"]
    if page not in (*links.PAGES, *links.OLDER_PAGES):
        text = _("Stop {at} of {file}: there is no page {page}.")
        raise TourError(text.format(at=at, file=file, page=page))
    return _stop(written)


def _stop(written: Mapping[str, Any]) -> Stop:
    page, query = links.read(written["link"])
    return Stop(
        page=page,
        # A link may be copied while another tour is open.
        query={name: text for name, text in query.items() if name not in (TOUR, STOP)},
        shows=dict(parse_qsl(written.get("shows", "").lstrip("?"), keep_blank_values=True)),
        clicks=tuple(written.get("clicks", ())),
        **{name: written.get(name, "") for name in ("title", "text", "question", "task")},
    )
