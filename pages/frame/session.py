"""What a visitor has chosen, and the URL that says so: the one module of session and address.

Every choice has a name and is kept as text, exactly as it stands in the URL. Widgets show it,
clicks in pictures change it, links bring it, and it goes from page to page.

A browser reports with every request what all of its widgets hold, also where it has not yet
received the answer to a click. So nothing is ever written into a widget: where it holds another
value than the chosen one, another widget takes its place, under another key. A widget that holds
something else than at first, and than it reported before, was changed by the visitor, however late
the browser reports it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Generic, ParamSpec, TypeVar
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from pages.frame import interrupts, service
from pages.frame.streamlit_internals import is_way_back as is_way_back

MODEL, SENTENCE, KIND, LAYER, HEAD = "model", "sentence", "kind", "layer", "head"
VIEW, TRIAL, STAGE, CELL, ZOOM = "view", "trial", "stage", "cell", "zoom"
SIDE, TOKEN, COLUMN = "side", "token", "column"
MAPS, LINES, HIDDEN, THRESHOLD, HOW = "maps", "lines_element", "hidden", "threshold", "how"
OTHER, OTHER_SENTENCE, OTHER_MODEL, OTHERS = "other", "other_sentence", "other_model", "others"
UNITS, SILENT = "units", "silent"
LENS_POSITION, UNIT_POSITION = "lens_position", "unit_position"
STEP, STEPPER, DECODING_STEP = "step", "stepper", "decoding_step"
RUNS, REFERENCE, METHOD = "runs", "reference", "method"
NEW_TOKENS, CHAT, LANGUAGE, TRUNCATES_LEFT = "new_tokens", "chat", "into", "truncates_left"
PASS_STEP, PASS_SILENCED = "pass_step", "pass_silenced"
BRIEF = "brief"
"""Whether a view leaves out what a stop of the tour does not ask about."""
GOES_TO, ARRIVED, SHOWS = "_goes_to", "_arrived", "_shows"
"""Names that `navigation.js` takes out of the URL: a page to go to, that it is drawn, its path.

Streamlit writes the address of a page that it goes to in pieces, in two runs: first the query while
the page before has its path, then the path, then what is shown there. `navigation.js` makes one
step of the browser's history of all that comes between the first two. A slow browser may be sent
the query of a page before it has the path: `SHOWS` says which path a query belongs to.
"""
STORAGE = "_storage"
_N_WRITTEN = 50
"""Addresses that are remembered: a browser that is behind still asks for one of them."""
_N_WIDGETS = 8
"""Widgets of a choice whose values are read: a browser that is behind shows an older one."""

Value = TypeVar("Value")
Held = TypeVar("Held")
Drawn = ParamSpec("Drawn")
Text = tuple[str, ...]
"""A choice as the URL has it; several texts where several things are chosen."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A choice that the page shows."""

    text: Text
    named: bool
    """Whether the URL names it; it leaves out what has its default."""
    part: str
    """The fragment of the page that shows it; empty for the page itself."""
    usual: Text | None
    """What it is where nothing is chosen; None where that is not known."""


@dataclass(slots=True)
class Widget(Generic[Held]):
    """A widget that asks for a choice."""

    key: str
    number: int
    """How many widgets asked for it before."""
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
    """The choices of one visitor."""

    chosen: dict[str, Text] = field(default_factory=dict)
    """The truth; what is not in it has its default."""
    shown: dict[str, Mention] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    page: str = ""
    """The page that is drawn, as `app.py` lists it; "whole" for the first."""
    path: str = ""
    """Of that page in the URL; empty for the first."""
    entered: bool = False
    """Whether the request comes from another page."""
    arrives: bool = False
    """Whether the page was entered from another one and has not been drawn whole since."""
    n_arrivals: int = 0
    """How often choices came with an address or with a stop of a tour, instead of one by one."""
    part: str = ""
    """The fragment of the page that is drawn now."""
    written: dict[str, Text] | None = None
    """What the URL holds, as far as is known."""
    before: list[dict[str, Text]] = field(default_factory=list)
    names_of: dict[str, set[str]] = field(default_factory=dict)
    """Page → the names of the choices that it has shown."""
    widgets: dict[str, list[Widget[Any]]] = field(default_factory=dict)
    """Name → the widgets that asked for it, the newest last."""


def current(*, in_callback: bool = False) -> Visit:
    """Return the visit whose page is drawn; see `storage`."""
    found: Visit = storage("visit", in_callback=in_callback).setdefault("visit", Visit())
    return found


def storage(name: str, *, in_callback: bool = False) -> dict[Any, Any]:
    """Return where a module keeps what it has read, as long as the session lasts.

    Streamlit stops a run at the next look at one value of its session when another request has
    come, also in a callback, whose news would be lost: the browser does not send them again. A copy
    of all values stops nothing.
    """
    held = st.session_state.to_dict() if in_callback else st.session_state
    # Each look into the session takes a while, and this is the most frequent one.
    try:
        parts: dict[str, dict[Any, Any]] = held[STORAGE]
    except KeyError:
        parts = st.session_state[STORAGE] = {}
    return parts.setdefault(name, {})


def component_value(key: str) -> Any:  # noqa: ANN401
    """Return what a component or a widget that is no choice holds now, in its callback.

    See `storage`.
    """
    return st.session_state.to_dict().get(key)


def take_file(key: str) -> None:
    """Keep name and content of the file that was just chosen; nothing where it was taken away."""
    file = st.session_state[key]
    storage(key)["file"] = None if file is None else (file.name, file.getvalue())


def enter(path: str) -> None:
    """Begin to draw a page: take over its address where the visitor came by it."""
    visit, page = current(), path or "whole"
    visit.entered = visit.page not in ("", page)
    visit.part = ""
    visit.arrives = visit.arrives or visit.entered or GOES_TO in st.query_params
    visit.path = path
    asked = query()
    by_address = _comes_by_address(visit, asked)
    read_widgets()
    if by_address:
        visit.n_arrivals += 1
        # Back and forward show a page as it was: what its address leaves out had its default.
        for name in visit.names_of.get(page, set()) if is_way_back() else ():
            visit.chosen.pop(name, None)
            visit.owners.pop(name, None)
        for name, text in asked.items():
            visit.chosen[name] = text
            visit.owners.pop(name, None)
    if by_address or visit.entered:
        visit.written = asked
    else:
        _announce()
    visit.page = page
    visit.shown = {}


def query() -> dict[str, Text]:
    """Return the choices in the browser's address."""
    names = [name for name in st.query_params if name not in (GOES_TO, ARRIVED, SHOWS)]
    return {name: tuple(st.query_params.get_all(name)) for name in names}


def _comes_by_address(visit: Visit, asked: dict[str, Text]) -> bool:
    """Return whether the request is for an address, not from a page that shows another one."""
    if visit.page == "" or is_way_back():
        return True
    if visit.entered:
        return bool(asked)
    # A browser that does not know the newest address yet asks for an older one.
    return asked != visit.written and asked not in visit.before and bool(asked)


def fragment(
    name: str, every: float | None = None
) -> Callable[[Callable[Drawn, None]], Callable[Drawn, None]]:
    """Return what makes a function draw a part of the page: a click in it leaves the rest alone.

    Args:
        name: Of which there is one in the page or fragment around it.
        every: Seconds after which it is drawn again; None for never.
    """
    drawing = _drawing(current().part, name, [])
    return lambda draw: st.fragment(drawing(draw), run_every=every)


@contextmanager
def _drawing(around: str, name: str, drawn: list[bool]) -> Iterator[None]:
    """Draw a part of the page, which notes that it was `drawn`: from then on it is drawn alone."""
    with service.current().computing():
        # Drawn again, it comes without the page around it.
        if alone := bool(drawn):
            read_widgets()
            _announce()
        drawn.append(True)
        service.current().give_way()
        _begin_fragment(f"{around}/{name}")
        with interrupts.interruptible():
            yield
        current().part = around
        # A fragment of a fragment may be followed by choices that the URL must keep.
        if alone or not around:
            write(whole=alone)


def _begin_fragment(path: str) -> None:
    """Forget what a fragment, and those inside it, showed when it was drawn before."""
    visit = current()
    visit.part = path
    visit.shown = {
        each: shown
        for each, shown in visit.shown.items()
        if not f"{shown.part}/".startswith(f"{path}/")
    }


def _announce() -> None:
    """Write what was just chosen into the URL before it is drawn: a reload keeps it."""
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
    texts = (visit.written or {}) | new
    _write(visit, {name: text for name, text in texts.items() if name not in usual}, {})


def write(*, whole: bool = True) -> None:
    """Write what is shown into the URL; to be called when a page or a fragment is drawn."""
    visit = current()
    visit.names_of.setdefault(visit.page, set()).update(visit.shown)
    texts = {name: each.text for name, each in visit.shown.items() if each.named}
    marks: dict[str, Text] = {SHOWS: (visit.path,)} if visit.arrives else {}
    if visit.arrives and whole:
        marks[ARRIVED] = ("true",)
        visit.arrives = False
    _write(visit, texts, marks)


def _write(visit: Visit, texts: dict[str, Text], marks: dict[str, Text]) -> None:
    if visit.written is not None and texts != visit.written:
        visit.before = [*visit.before, visit.written][-_N_WRITTEN:]
    # What the page before wrote of a choice may have reached the browser when it had gone on.
    if ARRIVED in marks or texts != visit.written:
        visit.written = texts
        st.query_params.from_dict({name: list(text) for name, text in (texts | marks).items()})


def link() -> str:
    """Return the address that opens exactly what is shown, whatever the defaults may be then."""
    shown = [(name, text) for name, each in current().shown.items() for text in each.text]
    return urlunsplit(urlsplit(str(st.context.url or ""))._replace(query=urlencode(sorted(shown))))


def value(
    name: str, read: Callable[[str], Value | None], default: Value, *, named: bool = False
) -> Value:
    """Return what is chosen under a name; the default where nothing is, or nothing that fits.

    Args:
        name: In the URL.
        read: Returns the value of a text; None where it has none here.
        default: Where nothing is chosen.
        named: Whether the URL names the default too: it is not always the same.
    """
    text = text_of(name)
    found = None if text is None else read(text)
    chosen = default if found is None else found
    usual = None if named else (as_text(default),)
    show(name, (as_text(chosen),), named=named or chosen != default, usual=usual)
    return chosen


def flag(name: str, default: bool = False) -> bool:
    """Return a choice of whether or not; see `value`."""
    return value(name, {"true": True, "false": False}.get, default)


def is_brief() -> bool:
    """Return whether the link of a stop asks for less than a whole view."""
    return flag(BRIEF)


def texts_of(name: str) -> Text | None:
    """Return what is chosen under a name, as text; None where nothing is."""
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
        named: Whether the URL names it, or a link alone.
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


def position(text: str | None, count: int) -> int | None:
    """Return the position below `count` that a link names; None where it names none.

    >>> position("3", 4), position("4", 4), position("-1", 4), position("²", 4), position("", 4)
    (3, None, None, None, None)
    """
    # Python refuses to read some long numbers, and none of them is a position.
    if text is None or len(text) > 9 or not (text.isascii() and text.isdecimal()):
        return None
    return int(text) if int(text) < count else None


def positions(text: str | None, *counts: int) -> tuple[int, ...] | None:
    """Return positions between commas, one below each count; None where one is none.

    >>> positions("3,0", 4, 1), positions("3,1", 4, 1), positions("3", 4, 1), positions(None, 4)
    ((3, 0), None, None, None)
    """
    parts = (text or "").split(",")
    if len(parts) != len(counts):
        return None
    found = [position(part, count) for part, count in zip(parts, counts, strict=True)]
    return None if None in found else tuple(each for each in found if each is not None)


def choose(values: Mapping[str, object]) -> None:
    """Change choices, only in callbacks: what is drawn shows the old ones. None takes one back."""
    visit = current(in_callback=True)
    for name, chosen in values.items():
        if chosen is None:
            visit.chosen.pop(name, None)
        else:
            visit.chosen[name] = _texts(chosen)


def choose_above(values: Mapping[str, object]) -> None:
    """Change choices outside of the fragment of a callback: the whole page is drawn again."""
    choose(values)
    st.rerun()


def reset(values: Mapping[str, str], keep: Iterable[str]) -> None:
    """Forget all choices of all pages but some, and choose these; before going to a page."""
    visit = current(in_callback=True)
    stay = {name: text for name in keep if (text := visit.chosen.get(name))}
    visit.chosen = stay | {name: (value,) for name, value in values.items()}
    visit.owners.clear()
    visit.n_arrivals += 1


def belongs_to(name: str, owner: str, giving_way: Iterable[str] | None = None) -> None:
    """Take a choice back when its owner has changed, a run for example.

    Where texts are `giving_way`, only these are taken back.
    """
    visit = current()
    text = visit.chosen.get(name)
    changed = visit.owners.get(name, owner) != owner
    if changed and text and (giving_way is None or text[-1] in giving_way):
        del visit.chosen[name]
    visit.owners[name] = owner


def goes_with(name: str, owner: str) -> None:
    """Keep a choice for each of several owners, sentences for example: it comes back with them."""
    visit = current()
    others = storage(f"with {name}")
    before = visit.owners.get(name, owner)
    if before != owner:
        others[before] = visit.chosen.pop(name, None)
        if others.get(owner) is not None:
            visit.chosen[name] = others[owner]
    visit.owners[name] = owner


def renamed(older: str, name: str, texts: Iterable[str]) -> None:
    """Take over a choice that older links have under another name.

    Args:
        older: Its older name; another page may have a choice of that name.
        name: Of the choice.
        texts: Its values in such links; any other is of the other choice, and stays.
    """
    if text_of(older) in set(texts):
        choices = current().chosen
        choices[name] = choices.pop(older)


def widget(
    name: str,
    first: Held,
    offers: object = None,
    then: Callable[[], None] | None = None,
    *,
    take: Callable[[Held], None] | None = None,
    read: Callable[[Any], Held] = lambda held: held,
) -> Widget[Held]:
    """Return the widget that shows a choice: to be drawn with its key, and its first value.

    Args:
        name: Of the choice.
        first: What Streamlit's widget must show.
        offers: What can be chosen.
        then: What follows when another is chosen, by `choose`.
        take: Takes over what was chosen, by `choose`; None where it is chosen as it is.
        read: Returns what is chosen, of what Streamlit holds for the widget.
    """

    def choose_held(held: Held) -> None:
        current(in_callback=True).chosen[name] = _texts(held)
        if then is not None:
            then()

    visit = current()
    widgets = visit.widgets.setdefault(name, [])
    newest = widgets[-1] if widgets else None
    stands = (
        newest is not None
        and newest.key in st.session_state
        and newest.held == first
        and newest.offers == offers
    )
    if newest is None or not stands:
        number = newest.number + 1 if newest else 0
        key = widget_key(name, number)
        newest = Widget(key, number, first, offers, first, take or choose_held, read)
        visit.widgets[name] = [*widgets, newest][-_N_WIDGETS:]
    newest.take = take or choose_held
    return newest


def widget_key(name: str, n_before: int = 0) -> str:
    """Return the key of a choice's widget after `n_before` others.

    >>> widget_key("head"), widget_key("head", 2)
    ('head', 'head--2')
    """
    return f"{name}--{n_before}" if n_before else name


def read_widgets() -> None:
    """Take over what was chosen with widgets; to be called before anything asks for it."""
    values = st.session_state.to_dict()
    for each in [*chain(*current(in_callback=True).widgets.values())]:
        if each.key not in values:
            continue
        held = each.read(values[each.key])
        if held != each.held:
            each.take(held)
            # Only now: a callback that is stopped before has not taken it over.
            each.held = held


def _texts(held: object) -> Text:
    """Return what a widget holds as the URL has it."""
    if held is None:
        return ()
    if isinstance(held, Sequence) and not isinstance(held, str):
        return tuple(map(as_text, held))
    return (as_text(held),)


def as_text(value: object) -> str:
    """Return a value as the URL has it.

    >>> as_text(True), as_text(3), as_text(0.5), as_text("a b")
    ('true', '3', '0.5', 'a b')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
