"""Whether the model sees what it must not see, checked on demand, in sentences."""

from collections.abc import Sequence

import streamlit as st

from core.check import Fault, Kind
from core.studies.lessons.masks import checked
from pages.frame import session
from pages.frame.cached import ModelOf
from pages.frame.language import _, capitalised, labelled, n_
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.views.lessons.batch import Chosen

CHECKED = "checked"


def ask() -> bool:
    """Offer to check the model, or to hide what was found; within a row."""
    asked = session.flag(CHECKED)
    st.button(
        _("Hide the check") if asked else _("Check this model"),
        key="check_model",
        icon=":material/fact_check:",
        help=_("Do its layers see later words, or padding?"),
        on_click=session.choose,
        args=({CHECKED: not asked},),
    )
    return asked


def draw(chosen: Chosen) -> None:
    """Say what was tried on the model and found, for the longest text of the batch."""
    report = Recipe(checked, ModelOf(chosen.opened.path), chosen.batching).result()
    n = len(report.faults)
    headline = n_(
        "**{n} fault** in the layers of this model:",
        "**{n} faults** in the layers of this model:",
        n,
    )
    if report.ok:
        headline = _("**No fault** in any layer of this model:")
    lines = [line for kind in report.tried for line in _lines(kind, report.of(kind))]
    lines += [
        f":material/remove: {labelled(capitalised(_(kind)), _(why))}"
        for kind, why in report.left_out.items()
        # They belong to the training.
        if kind is not Kind.LABELS
    ]
    # Two spaces end a line in Markdown.
    st.markdown("  \n".join([headline, *lines]))


def _lines(kind: Kind, faults: Sequence[Fault]) -> list[str]:
    """Return the faults of a kind in Markdown; where there is none, what was tried."""
    if faults:
        return [f":material/error: {explained(fault.message)}" for fault in faults]
    return [f":material/check: {labelled(capitalised(_(kind)), _(kind.sound))}"]
