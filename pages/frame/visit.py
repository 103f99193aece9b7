"""What is known of one visit: what was chosen, what is shown, and what the browser reports of it.

A browser reports all widgets with every request, also those that it has not heard of since
something else was put there. What such a report says was not chosen: `settle` tells them apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pages.frame import session

Text = tuple[str, ...]
"""A choice as the URL has it; several texts where several things are chosen."""
_STALE_VALUES = 20
"""So many values are remembered that a widget may still show."""


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
class Visit:
    """All that is known of one visitor's choices."""

    chosen: dict[str, Text] = field(default_factory=dict)
    """The truth; what is not in it has its default."""
    shown: dict[str, Mention] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    page: str = ""
    entered: bool = False
    """Whether the request comes from another page."""
    part: str = ""
    """The part of the page that is drawn now."""
    written: dict[str, Text] | None = None
    """What the URL holds, as far as this side has said or heard."""
    before: list[dict[str, Text]] = field(default_factory=list)
    names_of: dict[str, set[str]] = field(default_factory=dict)
    """Page → the names of the choices that it has shown."""
    drawn: dict[str, object] = field(default_factory=dict)
    """Name → what its widget was told to show."""
    stale: dict[str, tuple[object, ...]] = field(default_factory=dict)
    """Name → what its widget may still show in the browser, which was told to show something else
    and has not said yet that it does: it reports this as if it had been chosen."""
    reported: list[tuple[str, object, Callable[[], None]]] = field(default_factory=list)
    """What widgets reported since the last run, and how each is taken over."""
    settling: bool = False
    """Whether that is being taken over: what follows from a choice asks for choices, too."""
    clicked: bool = False
    """Whether something else than a widget caused the request."""


def current() -> Visit:
    """Return the visit whose page is drawn; whoever is to stop drawing it stops here."""
    found: Visit = session.drawer("address").setdefault("visit", Visit())
    return found


def unstopped() -> Visit:
    """Return the visit for a callback, which must end: what it is called for is said only once."""
    found: Visit = session.drawer("address", session.unstopped()).setdefault("visit", Visit())
    return found


def prepare(name: str, shown: object) -> None:
    """Have a widget show a value; to be called right before it is drawn, with the name as its key.

    Args:
        name: Of the choice, and the widget's key.
        shown: What Streamlit's widget holds for it.
    """
    visit, widgets = current(), session.widgets()
    held = widgets[name] if name in widgets else visit.drawn.get(name, shown)
    if name in visit.stale:
        _outdate(visit, name, visit.drawn.get(name, shown))
    if held != shown:
        _outdate(visit, name, held)
    elif name not in widgets:
        visit.stale.setdefault(name, ())
    # Again until the browser says so: what is told is lost where another answer comes right after.
    if name not in widgets or name in visit.stale:
        widgets[name] = shown
    visit.drawn[name] = shown


def catch(name: str, then: Callable[[], None] | None = None) -> None:
    """Take over what a widget holds though nobody was told; to be called before it is drawn.

    Streamlit tells a change once. Where it stops the run that would have heard of it, the widget
    holds what was chosen all the same.

    Args:
        name: The widget's key.
        then: What follows from the choice, by `choose`.
    """
    visit, widgets = current(), session.widgets()
    if name not in widgets or name not in visit.drawn:
        return
    held = widgets[name]
    if held != visit.drawn[name] and held not in visit.stale.get(name, ()):
        visit.drawn[name] = held
        visit.chosen[name] = _texts(held)
        if then is not None:
            then()


def _outdate(visit: Visit, name: str, held: object) -> None:
    """Note what a widget may still show though it is not what it should."""
    others = tuple(each for each in visit.stale.get(name, ()) if each != held)
    visit.stale[name] = (*others, held)[-_STALE_VALUES:]


def report(name: str, then: Callable[[], None] | None = None) -> None:
    """Note what a widget holds, in its `on_change`: the next run decides whether it was chosen.

    Args:
        name: The widget's key.
        then: What follows from the choice, by `choose`.
    """
    visit, held = unstopped(), session.held(name, None)

    def take() -> None:
        visit.chosen[name] = _texts(held)
        if then is not None:
            then()

    visit.reported.append((name, held, take))


def prepare_rows(table: str, rows: Sequence[int]) -> None:
    """Have a table tick these rows and no others; to be called right before it is drawn.

    Args:
        table: Its key.
        rows: Counted from 0.
    """
    visit, wanted = current(), list(rows)
    held = session.ticked_rows(table)
    if held != wanted:
        _outdate(visit, table, held)
        session.tick_rows(table, wanted)
    visit.drawn[table] = wanted


def report_rows(table: str, take: Callable[[list[int]], None]) -> None:
    """Note which rows are ticked, in a table's `on_select`, as `report` does.

    Args:
        table: Its key.
        take: Takes the rows over, by `choose`.
    """
    held = session.ticked_rows(table)
    unstopped().reported.append((table, held, lambda: take(held)))


def hear(visit: Visit) -> None:
    """Begin with a request for the whole page: what does the browser show, and what was chosen?"""
    shown = session.reported() - {name for name, _, _ in visit.reported}
    settle(visit)
    for name in shown:
        # Streamlit calls nothing changed that is as it should be.
        visit.stale.pop(name, None)


def settle(visit: Visit) -> None:
    """Take over what was chosen with widgets since the last run.

    A browser reports all widgets. Those that it has not heard of since something else was put
    there look as if they had been changed back; unless that is all that happened, they were not.
    """
    if visit.settling:
        return
    alone = len(visit.reported) == 1 and not (
        visit.clicked or visit.entered or session.is_triggered()
    )
    visit.settling = True
    try:
        while visit.reported:
            _settle(visit, *visit.reported[0], alone)
            # Only now: whoever is stopped before has not taken it over.
            visit.reported.pop(0)
    finally:
        visit.settling = visit.clicked = False


def _settle(visit: Visit, name: str, held: object, take: Callable[[], None], alone: bool) -> None:
    if name in visit.drawn and visit.drawn[name] == held:
        return
    if held in visit.stale.get(name, ()) and not (alone and _is_asked(visit, name)):
        return
    if name in visit.stale:
        # What it was told meanwhile may reach the browser after this choice.
        _outdate(visit, name, visit.drawn.get(name))
    visit.drawn[name] = held
    take()


def _is_asked(visit: Visit, name: str) -> bool:
    """Say whether a widget can be why the browser asks: it is no part that is drawn alone."""
    mention = visit.shown.get(name)
    return mention is None or bool(mention.part) or not session.is_for_a_part()


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
