"""A lesson: one part of the Transformer in several views, of which one is shown at a time."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.frame import address, controls, layout, notes
from pages.frame.folded import fold, fold_code, fold_formula
from pages.frame.opening import Opened
from pages.frame.text import _


@dataclass(frozen=True, slots=True)
class View:
    """One picture of a lesson, with the controls that change it."""

    name: str
    """On the button that opens it, and in the URL."""
    text: str
    """What is to be seen, in a sentence or two; Markdown."""
    draw: Callable[[Opened], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What stands below a picture."""

    formula: str
    """In LaTeX."""
    tries: Sequence[str]
    """What to do with the controls, and what is then to be seen; Markdown."""
    code: Sequence[Callable[..., object] | type]
    """The functions of `core` that compute the picture."""


def show(views: Sequence[View], opened: Opened, key: str) -> None:
    """Ask which view, and draw it.

    Args:
        views: The first is the default.
        opened: What they show.
        key: The lesson's name in the URL; a lesson keeps its view while others are visited.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        names = [view.name for view in views]
        chosen = controls.choice(_("View"), key, controls.words(names), names[0])
        view = next(view for view in views if view.name == chosen)
        with st.container(width="stretch", key=layout.LESSON_TEXT):
            st.markdown(f":small[{view.text}]")
    if found := notes.about_sentence(opened.run, opened.inspection):
        st.caption(" ".join(found))
    address.part("view", view.draw, opened)


def explained(explanation: Explanation) -> None:
    """Fold formula, what to try and code below the picture."""
    tries = "\n".join(f"- {one}" for one in explanation.tries)
    with st.container(key=layout.EXPLAINED):
        fold_formula(explanation.formula)
        fold(_("What to try"), "tries", lambda: st.markdown(tries))
        fold_code(explanation.code)


def numbers(name: str, columns: Mapping[str, Sequence[object]]) -> None:
    """Offer the numbers of a chart as a file.

    Args:
        name: Of the file, without its ending.
        columns: Name → values, all of the same length.
    """
    st.download_button(
        _("Numbers (CSV)"),
        data=lambda: _written(columns),
        file_name=f"{name}.csv",
        mime="text/csv",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        key=f"numbers_{name}",
    )


def _written(columns: Mapping[str, Sequence[object]]) -> str:
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
