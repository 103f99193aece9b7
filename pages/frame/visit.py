"""What is known of one visit: what was chosen, what is shown, and what the browser says of it.

A browser reports with every request what all of its widgets hold, also where it has not heard yet
what was put in their place meanwhile. So nothing is ever written into a widget: where it holds
something else than was chosen, by a click into a picture or a link, another one takes its place,
under another key. Whatever a widget says other than at first, and other than it said before, was
chosen by the visitor, however late the browser hears and answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pages.frame import session
from pages.frame.streamlit_internals import is_way_back as is_way_back

Held = TypeVar("Held")
Thing = TypeVar("Thing")
Text = tuple[str, ...]
"""A choice as the URL has it; several texts where several things are chosen."""
_HEARD_LATE = 8
"""So many widgets of a choice are listened to: a browser that is behind shows an older one."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A choice that the page shows."""

    text: Text
    named: bool
    """Whether the URL names it; what is as it would be without, it leaves out."""
    part: str
    """The part of the page that shows it; empty for the page itself."""
    usual: Text | None = None
    """What it is where nothing is chosen; None where that is not known."""


@dataclass(slots=True)
class Widget(Generic[Held]):
    """A widget that asks for a choice."""

    key: str
    number: int
    """How many asked for it before."""
    first: Held
    """What it shows until the visitor chooses something else."""
    offers: object
    """What can be chosen: where that changes, another widget takes its place."""
    held: Held
    """What it holds, as far as is known."""
    take: Callable[[Held], None]
    """Takes over what was chosen."""
    read: Callable[[Any], Held]
    """Returns what is chosen, of what Streamlit holds for the widget."""


@dataclass(slots=True)
class Visit:
    """All that is known of one visitor's choices."""

    chosen: dict[str, Text] = field(default_factory=dict)
    """The truth; what is not in it has its default."""
    shown: dict[str, Mention] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    page: str = ""
    entered: bool = False
    """Whether the request comes from another page."""
    arrives: bool = False
    """Whether the browser waits to hear that the page that it went to stands (`links.ARRIVED`)."""
    arrivals: int = 0
    """How often choices came with an address, or with a stop of a tour, instead of one by one."""
    part: str = ""
    """The part of the page that is drawn now."""
    written: dict[str, Text] | None = None
    """What the URL holds, as far as this side has said or heard."""
    before: list[dict[str, Text]] = field(default_factory=list)
    names_of: dict[str, set[str]] = field(default_factory=dict)
    """Page → the names of the choices that it has shown."""
    widgets: dict[str, list[Widget[Any]]] = field(default_factory=dict)
    """Name → the widgets that asked for it, the newest last."""


def current() -> Visit:
    """Return the visit whose page is drawn; whoever is to stop drawing it stops here."""
    found: Visit = session.drawer("address").setdefault("visit", Visit())
    return found


def unstopped() -> Visit:
    """Return the visit for a callback, which must end: what it is called for is said only once."""
    found: Visit = session.drawer("address", session.unstopped()).setdefault("visit", Visit())
    return found


def widget(
    name: str, shown: Held, offers: object = None, then: Callable[[], None] | None = None
) -> Widget[Held]:
    """Return the widget that shows a choice: to be drawn with its key, and its first value.

    Args:
        name: Of the choice.
        shown: What Streamlit's widget must show.
        offers: What can be chosen.
        then: What follows when another is chosen, by `choose`.
    """

    def take(held: Held) -> None:
        unstopped().chosen[name] = _texts(held)
        if then is not None:
            then()

    return _put(name, shown, offers, take, lambda held: held)


def table(
    name: str,
    things: Sequence[Thing],
    rows: list[int],
    take: Callable[[list[Thing]], None],
) -> Widget[list[int]]:
    """Return the widget that is a table of which rows are ticked.

    Args:
        name: Of the table.
        things: What each row stands for.
        rows: Those that are ticked, counted from 0.
        take: Takes over, by `choose`, what is ticked instead.
    """

    def take_rows(held: list[int]) -> None:
        take([things[row] for row in held if row < len(things)])

    return _put(name, rows, tuple(things), take_rows, session.rows_of)


def _put(
    name: str,
    shown: Held,
    offers: object,
    take: Callable[[Held], None],
    read: Callable[[Any], Held],
) -> Widget[Held]:
    visit = current()
    widgets = visit.widgets.setdefault(name, [])
    newest = widgets[-1] if widgets else None
    if newest is None or not _stands(newest, shown, offers):
        number = newest.number + 1 if newest else 0
        newest = Widget(key_of(name, number), number, shown, offers, shown, take, read)
        visit.widgets[name] = [*widgets, newest][-_HEARD_LATE:]
    newest.take = take
    return newest


def _stands(widget: Widget[Any], shown: object, offers: object) -> bool:
    """Say whether a widget is in the browser, and shows what it must."""
    known = widget.key in session.widgets()
    return known and widget.held == shown and widget.offers == offers


def key_of(name: str, replaced: int = 0) -> str:
    """Return the key of a choice's widget.

    Args:
        name: Of the choice.
        replaced: How many widgets it has had before.

    >>> key_of("head"), key_of("head", 2)
    ('head', 'head--2')
    """
    return f"{name}--{replaced}" if replaced else name


def hear() -> None:
    """Take over what was chosen with widgets; to be called before anything asks for it."""
    holds = session.unstopped()
    for each in [each for widgets in unstopped().widgets.values() for each in widgets]:
        if each.key not in holds:
            continue
        held = each.read(holds[each.key])
        if held != each.held:
            each.take(held)
            # Only now: whoever is stopped before has not taken it over.
            each.held = held


def _texts(held: object) -> Text:
    """Return what a widget holds as the URL has it."""
    if held is None:
        return ()
    if isinstance(held, Sequence) and not isinstance(held, str):
        return tuple(map(written, held))
    return (written(held),)


def written(value: object) -> str:
    """Return a value as the URL has it.

    >>> written(True), written(3), written(0.5), written("a b")
    ('true', '3', '0.5', 'a b')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
