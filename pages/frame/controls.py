"""Widgets that several pages use. Each returns a plain value, and keeps it in the URL."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from core.tasks import Example
from pages.frame import session
from pages.frame.text import ATTENTIONS, _

Amount = TypeVar("Amount", int, float)
Chosen = TypeVar("Chosen", bound=str)


def model(names: Sequence[str], on_change: Callable[[], None] | None = None) -> str:
    """Ask for a run."""
    session.recall(session.MODEL, names)
    chosen = st.selectbox(
        _("Model"),
        names,
        key=session.MODEL,
        bind="query-params",
        on_change=on_change,
        width=200,
    )
    session.remember(session.MODEL, chosen)
    return str(chosen)


def named_model(names: Sequence[str]) -> str:
    """Ask for a run without words above, where the first of the names is not always the same.

    The URL names the run, whichever it is.
    """
    session.recall(session.MODEL, names)
    session.settle(session.MODEL, names, names[0])
    chosen = st.selectbox(
        _("Model"),
        names,
        index=None,
        required=True,
        key=session.MODEL,
        bind="query-params",
        label_visibility="collapsed",
        width=200,
    )
    session.remember(session.MODEL, chosen)
    return names[0] if chosen is None else chosen


def sentence(default: str, *, labelled: bool = True) -> str:
    """Ask for a sentence."""
    session.recall(session.SENTENCE)
    typed = st.text_input(
        _("Sentence"),
        value=default,
        key=session.SENTENCE,
        bind="query-params",
        placeholder=_("Type a sentence and press Enter"),
        label_visibility="visible" if labelled else "collapsed",
    )
    session.remember(session.SENTENCE, typed)
    return str(typed or "")


def examples(offered: Sequence[Example]) -> None:
    """Offer sentences that are one click away."""
    with st.container(horizontal=True, gap="small", width="content"):
        for index, example in enumerate(offered):
            st.button(
                _(example.name),
                key=f"example_{index}",
                type="tertiary",
                on_click=session.choose,
                args=({session.SENTENCE: example.source},),
            )


def kind(
    offered: Sequence[str],
    default: str,
    on_change: Callable[[], None] | None = None,
    key: str = session.KIND,
    *,
    disabled: bool = False,
) -> str:
    """Ask for one of the kinds of attention that a model has."""
    session.recall(key, offered)
    session.read_name(key, offered)
    chosen = st.segmented_control(
        _("Attention"),
        offered,
        format_func=lambda name: ATTENTIONS[name],
        default=default if default in offered else offered[0],
        required=True,
        key=key,
        bind="query-params",
        on_change=on_change,
        label_visibility="collapsed",
        disabled=disabled,
    )
    session.remember(key, chosen)
    return str(chosen)


def whole_words(on_change: Callable[[], None] | None = None, *, disabled: bool = False) -> bool:
    """Ask whether subwords are merged to words."""
    names = {"tokens": _("tokens"), "words": _("whole words")}
    session.recall(session.UNIT, names)
    session.read_name(session.UNIT, names)
    unit = st.segmented_control(
        _("Unit"),
        list(names),
        format_func=lambda name: names[name],
        default="tokens",
        required=True,
        key=session.UNIT,
        bind="query-params",
        on_change=on_change,
        label_visibility="collapsed",
        help=_("Merged to words, rows are averaged and columns summed."),
        disabled=disabled,
    )
    session.remember(session.UNIT, unit)
    return unit == "words"


def layer_and_head(
    n_layers: int, n_heads: int, default: tuple[int, int], *, disabled: bool = False
) -> tuple[int, int]:
    """Ask for a layer and a head; a click into the maps sets them too."""
    layer = number(_("layer"), n_layers, default[0], session.LAYER, disabled=disabled)
    head = number(_("head"), n_heads, default[1], session.HEAD, disabled=disabled)
    return layer, head


def number(label: str, count: int, default: int, key: str, *, disabled: bool = False) -> int:
    """Ask for one of 0, 1 … count - 1."""
    st.caption(label, width="content")
    session.recall(key, range(count))
    # Shown without words around it, because what is shown is what stands in the URL.
    chosen = st.selectbox(
        label,
        range(count),
        index=default,
        key=key,
        bind="query-params",
        label_visibility="collapsed",
        width=92,
        disabled=disabled,
    )
    session.remember(key, chosen)
    return int(chosen)


def reference(sentence: str, default: str) -> str:
    """Ask for the true target of a sentence; filled in where the task knows it."""
    typed = st.text_input(
        _("Reference"),
        value=default,
        # Its own for each sentence, so that another sentence brings its own reference.
        key=f"reference {sentence}",
        persist_state="session",
        placeholder=_("The true target, to compare with"),
    )
    return str(typed or "")


def amount(
    label: str,
    key: str,
    default: Amount,
    *,
    step: Amount | None = None,
    limits: tuple[Amount, Amount] | None = None,
    help_text: str | None = None,
) -> Amount:
    """Ask for a number.

    Args:
        label: What stands above it.
        key: Its name in the URL.
        default: To begin with; when it changes, it takes the place of what was entered.
        step: What the buttons add and take away; None for 1.
        limits: The smallest and the largest; None where whatever is entered is to be spoken about.
        help_text: To be read on demand.
    """
    session.renew(key, default, of=str(default))
    low, high = limits or (None, None)
    found = st.number_input(
        label,
        low,
        high,
        default,
        step or type(default)(1),
        format="%d" if isinstance(default, int) else "%.6g",
        key=key,
        bind="query-params",
        width=130,
        help=help_text,
    )
    session.remember(key, found)
    return default if found is None else type(default)(found)


def choice(
    label: str,
    key: str,
    offered: Sequence[Chosen],
    default: Chosen,
    *,
    labelled: bool = True,
    named: bool = False,
) -> Chosen:
    """Ask for one of a few words, shown as they stand in the URL.

    Args:
        label: What is asked; also for screen readers.
        key: The widget's name, and the parameter's in the URL.
        offered: The words.
        default: One of them.
        labelled: False where the words say themselves what is asked.
        named: True where the URL names the default too: it is not always the same.
    """
    session.recall(key, offered)
    # What a link says stays true of a widget that was not drawn for a while.
    session.read_name(key, offered)
    if named:
        session.settle(key, offered, default)
    chosen = st.segmented_control(
        label,
        offered,
        default=None if named else default,
        required=True,
        key=key,
        bind="query-params",
        label_visibility="visible" if labelled else "collapsed",
    )
    session.remember(key, chosen)
    return default if chosen is None else chosen
