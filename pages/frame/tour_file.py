"""A teacher's own tour: a small TOML file of links and texts in the folder `tours/`.

`tours/monday.toml` opens with `?tour=monday`; `EXAMPLE` is what may stand in it. A link may be
copied from the app, whatever its address is; `shows` holds the choices that answer the question,
and only `title` and `link` must be there. A file may come from somebody else: it opens pages of the
app and nothing else, and one that is too large or nested too deeply is refused.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from pages.frame import links
from pages.frame.language import _
from pages.frame.messages import explained
from pages.frame.tour import FIRST_PAGE, STOP, TOUR, Stop, Tour, TourError

TOURS = Path("tours")
"""Where they are, in the folder that the app is started in."""
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


def tour_names() -> list[str]:
    """Return the names of the tours that there are, in their order."""
    return sorted(file.stem for file in TOURS.glob("*.toml") if _NAME.fullmatch(file.stem))


def read_tour(name: str) -> Tour:
    """Return a tour that is a file.

    Args:
        name: The file's, without its ending.

    Raises:
        TourError: There is no such file, or it is no tour; the message says what is wrong.
    """
    file = TOURS / f"{name}.toml"
    if not _NAME.fullmatch(name) or not file.is_file():
        raise TourError(_("There is no tour named {name}.").format(name=name))
    written = _read(file)
    stops = written.get("stop")
    if not isinstance(stops, list) or not stops:
        raise TourError(_("{file} has no [[stop]].").format(file=file))
    if len(stops) > MOST_STOPS:
        raise TourError(_too_large(file))
    title = written.get("title", name)
    return Tour(name, str(title), tuple(_stop(each, at, file) for at, each in enumerate(stops, 1)))


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


def _stop(written: object, at: int, file: Path) -> Stop:
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
    texts = {name: written.get(name, "") for name in _TEXTS}
    try:
        page, query = _read_link(texts["link"])
    except ValueError:
        # What stands for another machine is no address.
        page, query = texts["link"], {}
    if page not in links.PAGES:
        text = _("Stop {at} of {file}: there is no page {page}.")
        raise TourError(text.format(at=at, file=file, page=page))
    return Stop(
        title=texts["title"],
        page=page,
        query=query,
        text=texts["text"],
        question=texts["question"],
        task=texts["task"],
        shows=dict(parse_qsl(texts["shows"].lstrip("?"), keep_blank_values=True)),
    )


def _read_link(link: str) -> tuple[str, dict[str, str]]:
    """Return page and choices of a link.

    >>> _read_link("http://127.0.0.1:8501/heads?trial=silence&tour=x")
    ('heads', {'trial': 'silence'})
    >>> _read_link("/?view=lines")
    ('attention', {'view': 'lines'})
    """
    parts = urlsplit(link.strip())
    page = parts.path.strip("/").rpartition("/")[2] or FIRST_PAGE
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    return page, {name: text for name, text in asked.items() if name not in (TOUR, STOP)}
