"""Widgets that several pages use: each asks for one choice, which the address keeps.

Names are what links and code say; labels are what people read, in their language.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, Literal, TypedDict, TypeVar, Unpack

import streamlit as st

from pages.frame import layout, session

Amount = TypeVar("Amount", int, float)
Chosen = TypeVar("Chosen")

_LARGEST = 2**53 - 1
"""A browser knows no larger whole number exactly, and Streamlit draws no box for one."""


class Asked(TypedDict, total=False):
    """How any choice is asked for."""

    disabled: bool
    """Whether it is shown, but cannot be changed."""
    asked: bool
    """False where another view asks for it: what was chosen there stays, also in the URL."""
    help: str | None
    """To be read on demand."""


class How(Asked, Generic[Chosen], total=False):
    """How one of several things is asked for."""

    labelled: bool
    """Whether the label stands above; otherwise only screen readers read it."""
    named: bool
    """Whether the URL names the default too: it is not always the same."""
    older: Mapping[str, Chosen]
    """What older links called a thing, beside its name."""
    then: Callable[[], None] | None
    """What follows when another is chosen, by `session.choose`."""


def choice(
    label: str,
    name: str,
    offered: Mapping[Chosen, str],
    default: Chosen,
    **how: Unpack[How[Chosen]],
) -> Chosen:
    """Ask for one of a few things (thing → label), all of them visible; without a label above."""
    draw = partial(st.segmented_control, label, required=True)
    return _one_of(draw, "default", name, offered, default, {"labelled": False, **how})


def selection(
    label: str,
    name: str,
    offered: Mapping[Chosen, str],
    default: Chosen,
    width: int | None = None,
    **how: Unpack[How[Chosen]],
) -> Chosen:
    """Ask for one of several things (thing → label) in a box of this width, in pixels."""
    draw = partial(st.selectbox, label, width=width or "stretch")
    return _one_of(draw, "index", name, offered, default, how)


def along(label: str, name: str, offered: Mapping[Chosen, str], default: Chosen) -> Chosen:
    """Ask for one of several things in their order (thing → label): a handle moves along them."""
    draw = partial(st.select_slider, label)
    return _one_of(draw, "value", name, offered, default, {"asked": len(offered) > 1})


def _one_of(
    draw: Callable[..., object],
    first: Literal["default", "index", "value"],
    name: str,
    offered: Mapping[Chosen, str],
    default: Chosen,
    how: How[Chosen],
) -> Chosen:
    """Ask for one of several things with a widget, whose parameter `first` says what it shows."""
    value = chosen(name, offered, default, how)
    if how.get("asked", True):
        widget = session.widget(name, value, tuple(offered.items()), how.get("then"))
        draw(
            options=list(offered),
            format_func=offered.__getitem__,
            key=widget.key,
            label_visibility=_visibility(labelled=how.get("labelled", True)),
            help=how.get("help"),
            disabled=how.get("disabled", False),
            **{first: list(offered).index(widget.first) if first == "index" else widget.first},
        )
    return value


def _visibility(*, labelled: bool) -> Literal["visible", "collapsed"]:
    return "visible" if labelled else "collapsed"


def chosen(
    name: str, offered: Mapping[Chosen, str], default: Chosen, how: How[Chosen] | None = None
) -> Chosen:
    """Return which of several things is chosen, for what is drawn before them; see `choice`."""
    by_name = {session.as_text(each): each for each in offered}
    older = (how or {}).get("older", {})

    def read(text: str) -> Chosen | None:
        value = by_name.get(text, older.get(text))
        return value if value in offered else None

    return session.value(name, read, default, named=(how or {}).get("named", False))


def several(
    label: str,
    name: str,
    offered: Mapping[str, str],
    default: Iterable[str],
    of: str,
    older: Mapping[str, str],
) -> list[str]:
    """Ask for any of a few things (thing → label), all of them visible.

    With another `of` the choice begins anew; `older` is what older links called a thing.
    """
    session.belongs_to(name, of)
    texts = session.texts_of(name)
    usual = [each for each in offered if each in set(default)]
    asked = {older.get(text, text) for text in texts or ()}
    chosen = usual if texts is None else [each for each in offered if each in asked]
    session.show(name, tuple(chosen) or ("",), named=chosen != usual)
    widget = session.widget(name, chosen, tuple(offered.items()))
    st.pills(
        label,
        list(offered),
        selection_mode="multi",
        default=widget.first,
        format_func=offered.__getitem__,
        key=widget.key,
        label_visibility="collapsed",
    )
    return chosen


def number(label: str, count: int, default: int, name: str, **how: Unpack[How[int]]) -> int:
    """Ask for one of 0, 1 … count - 1, with what is asked beside it (`layout` puts it there)."""
    offered = {index: str(index) for index in range(count)}
    return selection(label, name, offered, default, layout.NUMBER_WIDTH, **how)


def text(
    label: str,
    name: str,
    default: str,
    *,
    labelled: bool = True,
    height: int | None = None,
    **box: Any,  # noqa: ANN401
) -> str:
    """Ask for a text.

    Args:
        label: What is asked.
        name: Of the choice.
        default: Where nothing is typed.
        labelled: Whether the label stands above; otherwise only screen readers read it.
        height: In pixels, of a box for several lines; None for one line.
        box: What else Streamlit's box is to have, a placeholder or a width for example.
    """
    typed = session.value(name, str, default)
    widget = session.widget(name, typed)
    box |= {"key": widget.key, "label_visibility": _visibility(labelled=labelled)}
    if height is None:
        st.text_input(label, widget.first, **box)
    else:
        st.text_area(label, widget.first, height, **box)
    return typed


def toggle(label: str, name: str, default: bool = False, **how: Unpack[Asked]) -> bool:
    """Ask whether or not; where it is not asked, what was chosen stays."""
    chosen = session.flag(name, default)
    if how.pop("asked", True):
        widget = session.widget(name, chosen)
        look: dict[str, Any] = {"key": widget.key, **how}
        st.toggle(label, widget.first, **look)
    return chosen


class Range(Asked, Generic[Amount], total=False):
    """What numbers can be entered."""

    step: Amount
    """What the buttons add and take away; without it 1."""
    limits: tuple[Amount, Amount]
    """The smallest and the largest; without them whatever is entered is to be spoken about."""
    of: str
    """What the number belongs to: with another, it begins anew; without it, the default itself."""
    slides: bool
    """Whether a handle is moved between the limits; otherwise the number is typed."""
    empty: Amount | None
    """The number in whose place the box is empty: it is the default, and follows from others."""
    width: int
    """In pixels, as of any box of Streamlit's."""
    placeholder: str | None
    """What stands in the empty box."""


def amount(label: str, name: str, default: Amount, **numbers: Unpack[Range[Amount]]) -> Amount:
    """Ask for a number."""
    low, high = numbers.pop("limits", (None, None))
    step, empty = numbers.pop("step", type(default)(1)), numbers.pop("empty", None)
    slides, asked = numbers.pop("slides", False), numbers.pop("asked", True)

    def read(written: str) -> Amount | None:
        try:
            value = type(default)(written)
        except (ValueError, OverflowError):
            return None
        if isinstance(value, int) and abs(value) > _LARGEST:
            return None
        within = (low is None or low <= value) and (high is None or value <= high)
        return value if within and math.isfinite(value) else None

    session.belongs_to(name, numbers.pop("of", str(default)))
    value = session.value(name, read, default)
    if asked:
        widget = session.widget(name, None if value == empty else value, (low, high, step))
        first: Any = widget.first
        look: dict[str, Any] = {"key": widget.key, **numbers}
        if slides:
            st.slider(label, low, high, first, step, **look)
        else:
            # A whole number has no decimals.
            st.number_input(
                label,
                low,
                high,
                first,
                step,
                format="%d" if isinstance(default, int) else "%.6g",
                **{"width": 130, **look},
            )
    return value


def table(
    name: str,
    shown: object,
    things: Sequence[Chosen],
    ticked: Collection[Chosen],
    take: Callable[[list[Chosen]], None],
    selection_mode: Literal["single-row", "multi-row"],
    **looks: Any,  # noqa: ANN401
) -> None:
    """Draw a table whose rows, each of them a thing, can be ticked.

    Where others are ticked instead, `take` takes them over, by `session.choose`.
    """

    def take_rows(rows: list[int]) -> None:
        take([things[row] for row in rows if row < len(things)])

    def read(held: Mapping[str, Mapping[str, list[int]]]) -> list[int]:
        return sorted(held["selection"]["rows"])

    rows = [row for row, thing in enumerate(things) if thing in ticked]
    most = 1 if selection_mode == "single-row" else len(rows)
    widget = session.widget(name, rows[:most], tuple(things), take=take_rows, read=read)
    st.dataframe(
        shown,
        key=widget.key,
        on_select="rerun",
        selection_mode=selection_mode,
        selection_default={"selection": {"rows": widget.first}},
        hide_index=True,
        placeholder="",
        **looks,
    )


def fold(title: str, name: str, draw: Callable[[], object], *, compact: bool = False) -> None:
    """Fold something below a title; it is drawn only while it is open.

    Formulas and code are slow to draw, in the browser too, and are drawn anew with every answer.

    Args:
        title: Always visible. With another title it is another thing, and closed.
        name: A word for it, unique on a page; what is open stays open under it.
        draw: Draws what is folded.
        compact: Whether the title takes a line of small letters.
    """
    place = st.expander(
        title, type="compact" if compact else "default", on_change="rerun", key=f"folded_{name}"
    )
    if place.open:
        with place:
            draw()
