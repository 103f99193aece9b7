"""Widgets that the lessons share. Each returns a plain value, and keeps it in the URL."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.lessons.masking import companions
from core.model.probe import Kind, Stack
from pages.frame import cached, controls, session
from pages.frame.opening import Opened
from pages.frame.text import _

MOST_SENTENCES = 8


def sentences(opened: Opened) -> tuple[str, ...]:
    """Ask for the other sentences of a batch, one on each line; the opened one is the first."""
    path = opened.path
    default = "\n".join(cached.of_run(companions, path))
    # Another run brings its own sentences.
    session.renew(session.OTHERS, default, str(path))
    typed = st.text_area(
        _("Other sentences of the batch, one on each line (up to {n})").format(
            n=MOST_SENTENCES - 1
        ),
        value=default,
        key=session.OTHERS,
        bind="query-params",
        height=72,
    )
    session.remember(session.OTHERS, typed)
    others = [line.strip() for line in str(typed or "").splitlines() if line.strip()]
    readable = [line for line in others if opened.run.tokenizer.encode(line).ids]
    return (opened.sentence, *readable[: MOST_SENTENCES - 1])


def switched_off(names: Sequence[str], default: Sequence[str], of: str) -> list[str]:
    """Ask which masks are left out.

    Args:
        names: Those that there are.
        default: Those that are left out at first.
        of: The kind of attention; another kind begins anew.
    """
    session.renew(session.OFF, list(default), of)
    shown = {"padding": _("padding mask"), "look-ahead": _("look-ahead mask")}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_("switched off"), width="content")
        chosen = st.pills(
            _("Switched off"),
            names,
            selection_mode="multi",
            default=default,
            format_func=lambda name: shown[name],
            key=session.OFF,
            bind="query-params",
            label_visibility="collapsed",
        )
    session.remember(session.OFF, list(chosen))
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


def stack(key: str, default: Stack) -> Stack:
    """Ask for one of the two stacks; every view has its own key, and so its own default."""
    stacks: tuple[Stack, Stack] = ("encoder", "decoder")
    return controls.choice(_("Stack"), key, stacks, default, labelled=False)


def sublayer() -> Kind:
    """Ask for one of the sublayers of an encoder layer."""
    kinds: dict[str, Kind] = {"self-attention": "self", "feed-forward": "feed_forward"}
    chosen = controls.choice(
        _("Sublayer"), "sublayer", list(kinds), "self-attention", labelled=False
    )
    return kinds[chosen]


def measure(offered: Sequence[str]) -> str:
    """Ask what of the residual stream is drawn."""
    return controls.choice(_("Measure"), "measure", offered, offered[0], labelled=False)


def as_share() -> bool:
    """Ask whether counts are shown as they are, or as shares of their sum."""
    return bool(st.toggle(_("as shares"), key="share", bind="query-params"))
