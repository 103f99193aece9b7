"""Asking how to decode."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from core.config import ConfigError
from core.decoding.beam import Beam
from core.decoding.choosing import Greedy, Sampling
from core.decoding.generate import DecodingStrategy
from pages.frame import controls, session
from pages.frame.language import _, plain
from pages.frame.messages import explained

Asked = TypeVar("Asked", Sampling, Beam)
USUAL_BEAM = 4
"""Prefixes that a search keeps at first."""


def ask() -> DecodingStrategy | None:
    """Ask how to decode; None if the settings are invalid, with a message."""
    names = {"greedy": _("greedy"), "sampling": _("sampling"), "beam": _("beam search")}
    chosen = controls.choice(
        _("Decoding"), session.METHOD, names, "greedy", older={"beam search": "beam"}
    )
    if chosen == "beam":
        return ask_beam()
    return _checked(_sampling) if chosen == "sampling" else Greedy()


def ask_beam() -> Beam | None:
    """Ask how to search with a beam; None if the settings are invalid, with a message."""
    return _checked(_beam)


def _sampling() -> Sampling:
    return Sampling(
        temperature=controls.amount(_("Temperature"), "temperature", 1.0, step=0.1),
        top_k=controls.amount(_("Top k (0: all)"), "top_k", 0),
        top_p=controls.amount(_("Top p"), "top_p", 1.0, step=0.05),
        seed=controls.amount(_("Seed"), "seed", 0),
    )


def _beam() -> Beam:
    return Beam(
        beam=controls.amount(_("Beam"), "beam", USUAL_BEAM),
        alpha=controls.amount(_("Length penalty"), "alpha", 0.6, step=0.1),
    )


def _checked(ask_settings: Callable[[], Asked]) -> Asked | None:
    try:
        return ask_settings()
    except ConfigError as error:
        st.error(plain(explained(error)))
        return None
