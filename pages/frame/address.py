"""What a visitor has chosen, and the address that says so: one truth for widgets, clicks and links.

Every choice has a name and is kept as text, exactly as it stands in the URL. Widgets show it,
clicks into pictures change it, links bring it, and it goes from page to page. What a widget holds
is no choice before it was heard that the visitor changed it (`visit.hear`).
"""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import TypeVar
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from pages.frame import interrupts, links, service, session
from pages.frame.visit import Mention, Text, Visit, current, hear, is_way_back, unstopped, written

Value = TypeVar("Value")
_WRITTEN_BEFORE = 50
"""So many addresses are remembered: a browser that is behind still tells one of them."""


def enter(page: str) -> None:
    """Begin to draw a page: take over what its address says where somebody came by it."""
    visit = current()
    visit.entered = visit.page != page
    visit.part = ""
    visit.arrives = visit.arrives or links.GOES_TO in st.query_params
    asked = asked_for()
    by_address = _comes_by_address(visit, asked)
    hear()
    if by_address:
        visit.arrivals += 1
        # Back and forward show a page as it was: what its address leaves out had its default.
        for name in visit.names_of.get(page, set()) if is_way_back() else ():
            visit.chosen.pop(name, None)
            visit.owners.pop(name, None)
        for name, text in asked.items():
            visit.chosen[name] = text
            visit.owners.pop(name, None)
        visit.written = asked
    elif visit.entered:
        visit.written = asked
    if not (by_address or visit.entered):
        announce()
    visit.page = page
    visit.shown = {}


def asked_for() -> dict[str, Text]:
    """Return what the browser's address says."""
    names = [name for name in st.query_params if name not in (links.GOES_TO, links.ARRIVED)]
    return {name: tuple(st.query_params.get_all(name)) for name in names}


def _comes_by_address(visit: Visit, asked: dict[str, Text]) -> bool:
    """Say whether the request is for an address, or comes from a page that shows another one."""
    if visit.page == "" or is_way_back():
        return True
    if visit.entered:
        return bool(asked)
    # A browser that does not know the newest address yet tells an older one.
    return asked != visit.written and asked not in visit.before and bool(asked)


def part(
    name: str, draw: Callable[..., None], *arguments: object, every: float | None = None
) -> None:
    """Draw a part of the page: a click in it leaves the rest alone.

    Args:
        name: Of which there is one in the page or part around it.
        draw: Draws it.
        arguments: What it takes.
        every: So many seconds after it was drawn it is drawn again; None for never.
    """
    around = current().part

    @wraps(draw)
    def drawn() -> None:
        with service.current().computing():
            # Drawn again, it comes without what is around it.
            if alone:
                hear()
                announce()
            service.current().give_way()
            _begin_part(f"{around}/{name}")
            with interrupts.interruptible():
                draw(*arguments)
            current().part = around
            # A part of a part may be followed by choices that the URL must keep.
            if alone or not around:
                write(whole=alone)

    alone = False
    st.fragment(drawn, run_every=every)()
    alone = True


def _begin_part(path: str) -> None:
    """Forget what a part, and the parts of it, showed when it was drawn before."""
    visit = current()
    visit.part = path
    visit.shown = {
        each: shown
        for each, shown in visit.shown.items()
        if not f"{shown.part}/".startswith(f"{path}/")
    }


def announce() -> None:
    """Have the URL say what was just chosen, before it is drawn: who reloads keeps it."""
    visit = current()
    new = {
        name: text
        for name, shown in visit.shown.items()
        if (text := visit.chosen.get(name)) and text != shown.text
    }
    usual = {
        name
        for name, shown in visit.shown.items()
        if shown.usual is not None and visit.chosen.get(name, shown.usual) == shown.usual
    }
    wanted = (visit.written or {}) | new
    _write(visit, {name: text for name, text in wanted.items() if name not in usual})


def write(*, whole: bool = True) -> None:
    """Have the URL say what is shown; to be called when all of it, or a part, is drawn."""
    visit = current()
    arrived, visit.arrives = whole and visit.arrives, visit.arrives and not whole
    entered, visit.entered = visit.entered, False
    visit.names_of.setdefault(visit.page, set()).update(visit.shown)
    wanted = {name: each.text for name, each in visit.shown.items() if each.named}
    # What the page before said of a choice may have reached the browser when it had gone on.
    _write(visit, wanted, again=entered or arrived, arrived=arrived)


def _write(
    visit: Visit, wanted: dict[str, Text], *, again: bool = False, arrived: bool = False
) -> None:
    if visit.written is not None and wanted != visit.written:
        visit.before = [*visit.before, visit.written][-_WRITTEN_BEFORE:]
    if again or wanted != visit.written:
        visit.written = wanted
        mark = {links.ARRIVED: ("true",)} if arrived else {}
        st.query_params.from_dict({name: list(text) for name, text in (wanted | mark).items()})


def page() -> str:
    """Return which page is drawn, as `app.py` lists it; "attention" for the first."""
    return current().page


def link() -> str:
    """Return the address that opens exactly what is shown, whatever the defaults may be then."""
    shown = [(name, text) for name, each in current().shown.items() for text in each.text]
    return urlunsplit(urlsplit(str(st.context.url or ""))._replace(query=urlencode(sorted(shown))))


def value(
    name: str,
    read: Callable[[str], Value | None],
    default: Value,
    *,
    named: bool = False,
) -> Value:
    """Return what is chosen under a name; the default where nothing is, or nothing that fits.

    Args:
        name: In the URL.
        read: Returns what a text stands for; None where it stands for nothing here.
        default: Where nothing is chosen.
        named: Whether the URL names the default too: it is not always the same.
    """
    texts = texts_of(name)
    found = read(texts[-1]) if texts else None
    chosen = default if found is None else found
    usual = None if named else (written(default),)
    show(name, (written(chosen),), named=named or chosen != default, usual=usual)
    return chosen


def texts_of(name: str) -> Text | None:
    """Return what is chosen under a name as it is written; None where nothing is."""
    return current().chosen.get(name)


def text_of(name: str) -> str | None:
    """Return the one text that is chosen under a name; None where nothing is."""
    texts = texts_of(name)
    return texts[-1] if texts else None


def show(name: str, text: Text | None, *, named: bool = True, usual: Text | None = None) -> None:
    """Note that the page shows a choice, for the URL and for links.

    Args:
        name: Of the choice.
        text: As the URL has it; None where nothing is chosen.
        named: Whether the URL says it, or a link alone.
        usual: What it is where nothing is chosen; None where that is not known.
    """
    visit = current()
    visit.shown.pop(name, None)
    if text is not None:
        visit.shown[name] = Mention(text, named, visit.part, usual)


def linked(name: str) -> str | None:
    """Return, and show, a choice that has no widget; None where nothing is chosen."""
    texts = texts_of(name)
    # Taken back, it is nothing at once: no address between may name what belongs to it without it.
    show(name, texts or None, usual=())
    return texts[-1] if texts else None


def choose(values: Mapping[str, object]) -> None:
    """Change choices; None takes one back. Only for callbacks: what is drawn shows the old ones."""
    visit = unstopped()
    for name, wanted in values.items():
        if wanted is None:
            visit.chosen.pop(name, None)
        elif isinstance(wanted, list | tuple):
            visit.chosen[name] = tuple(map(written, wanted))
        else:
            visit.chosen[name] = (written(wanted),)


def begin_anew(values: Mapping[str, str], keep: Iterable[str]) -> None:
    """Forget what was chosen, whatever page showed it, and choose this; before going to a page.

    Args:
        values: Name → what is chosen.
        keep: Choices that stay as they are.
    """
    visit = unstopped()
    stay = {name: text for name in keep if (text := visit.chosen.get(name))}
    visit.chosen = stay | {name: (value,) for name, value in values.items()}
    visit.owners.clear()
    visit.arrivals += 1


def choose_above(values: Mapping[str, object]) -> None:
    """Change choices that a part's callback finds outside of it: the whole page is drawn again."""
    choose(values)
    st.rerun()


def belongs_to(name: str, owner: str, giving_way: Iterable[str] | None = None) -> None:
    """Take a choice back when what it belongs to has changed.

    Args:
        name: Of the choice.
        owner: What it belongs to now, a run for example.
        giving_way: Only these texts are taken back; None for whatever is chosen.
    """
    visit = current()
    text = visit.chosen.get(name)
    changed = visit.owners.get(name, owner) != owner
    if changed and text and (giving_way is None or text[-1] in giving_way):
        del visit.chosen[name]
    visit.owners[name] = owner


def goes_with(name: str, owner: str) -> None:
    """Let each of several things have its own choice, which comes back when the thing does.

    Args:
        name: Of the choice.
        owner: What it goes with now, a sentence for example.
    """
    visit = current()
    others = session.drawer(f"with {name}")
    before = visit.owners.get(name, owner)
    if before != owner:
        others[before] = visit.chosen.pop(name, None)
        if others.get(owner) is not None:
            visit.chosen[name] = others[owner]
    visit.owners[name] = owner


def renamed(older: str, name: str, texts: Iterable[str]) -> None:
    """Take over what older links say of a choice under another name.

    Args:
        older: What they call it; another page may have a choice of that name.
        name: Of the choice.
        texts: What they say of it; anything else is of the other choice, and stays.
    """
    text = text_of(older)
    if text in set(texts):
        choices = current().chosen
        choices[name] = choices.pop(older)
