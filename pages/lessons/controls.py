"""Widgets that the lessons share. Each returns a plain value, and keeps it in the URL."""

from collections.abc import Sequence

import streamlit as st

from core.model.probe import Kind, Stack
from pages.shared import session
from pages.shared.text import _


def others(default: str, of: str) -> list[str]:
    """Ask for the other sentences of a batch, one on each line.

    Args:
        default: Those to begin with.
        of: The run's name; another run brings its own sentences.
    """
    session.renew(session.OTHERS, default, of)
    typed = st.text_area(
        _("Other sentences of the batch, one on each line"),
        value=default,
        key=session.OTHERS,
        bind="query-params",
        height=72,
    )
    session.remember(session.OTHERS, typed)
    return [line.strip() for line in str(typed or "").splitlines() if line.strip()]


def switched_off(names: Sequence[str], default: Sequence[str]) -> list[str]:
    """Ask which masks are left out."""
    shown = {"padding": _("padding mask"), "look-ahead": _("look-ahead mask")}
    chosen = st.pills(
        _("Switched off"),
        names,
        selection_mode="multi",
        default=default,
        format_func=lambda name: shown[name],
        key="off",
        bind="query-params",
        label_visibility="collapsed",
    )
    return list(chosen)


def part(offered: Sequence[str], default: str) -> str:
    """Ask for a part of the model; a click into the diagram sets it too."""
    session.recall(session.PART, offered)
    chosen = st.selectbox(
        _("Part"),
        offered,
        index=offered.index(default) if default in offered else 0,
        key=session.PART,
        bind="query-params",
    )
    session.remember(session.PART, chosen)
    return str(chosen)


def stack(default: Stack = "encoder") -> Stack:
    """Ask for one of the two stacks."""
    session.recall(session.STACK, ("encoder", "decoder"))
    chosen = st.segmented_control(
        _("Stack"),
        ("encoder", "decoder"),
        default=default,
        required=True,
        key=session.STACK,
        bind="query-params",
        label_visibility="collapsed",
    )
    session.remember(session.STACK, chosen)
    return "decoder" if chosen == "decoder" else "encoder"


def sublayer() -> Kind:
    """Ask for one of the sublayers of an encoder layer."""
    kinds: dict[str, Kind] = {"self-attention": "self", "feed-forward": "feed_forward"}
    chosen = st.segmented_control(
        _("Sublayer"),
        list(kinds),
        default="self-attention",
        required=True,
        key="sublayer",
        bind="query-params",
        label_visibility="collapsed",
    )
    return kinds[str(chosen)]


def measure(offered: Sequence[str]) -> str:
    """Ask what of the residual stream is drawn."""
    return str(
        st.segmented_control(
            _("Measure"),
            offered,
            default=offered[0],
            required=True,
            key="measure",
            bind="query-params",
            label_visibility="collapsed",
        )
    )


def as_share() -> bool:
    """Ask whether counts are shown as they are, or as shares of their sum."""
    return bool(st.toggle(_("as shares"), key="share", bind="query-params"))
