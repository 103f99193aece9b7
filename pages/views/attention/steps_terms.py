"""Below the matrices of a stage: one of its numbers, term by term."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import streamlit as st

from core.analysis.heads.stages import Stage
from core.analysis.heads.steps import HeadSteps
from core.analysis.heads.terms import Rule, Terms, largest
from pages.frame import controls
from pages.frame.components import matrices
from pages.frame.folded import fold
from pages.frame.selection import Looked
from pages.frame.text import _
from pages.views.attention import steps_words
from pages.views.attention.steps_pictures import axis_of, named_cell
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix

SHOWN = 12
"""So many terms stand in the picture; the text has all."""
HEIGHT = 230
"""Of the text, in pixels."""
LARGEST, IN_ORDER = "largest first", "in order"
TERMS = "terms"
ORDER = "terms_order"
"""Name of the widget and of the URL's parameter."""
RESULTS: Mapping[Rule, str] = {
    "sum": "product",
    "quotient": "quotient",
    "mask": "score",
    "share": "weight",
    "copy": "same",
}
"""What a term is called."""


def draw(
    looked: Looked, steps: HeadSteps, stage: Stage, cell: tuple[int, int], found: Terms
) -> None:
    """Draw how one number came about, `found`."""
    axis = axis_of(looked, steps, found.over)
    labels = [label.text for label in axis.labels]
    n = len(found.terms_N)
    order = IN_ORDER
    if n > 1:
        orders = controls.words([LARGEST, IN_ORDER])
        order = controls.choice(_("Terms"), ORDER, orders, LARGEST)
    about = named_cell(looked, steps, stage, cell)
    matrices(_picture(found, axis, order, about), key=TERMS)
    if said := steps_words.about_terms(steps, stage, cell, found):
        st.caption(said)
    fold(
        _("All terms, with all digits"),
        "terms",
        lambda: st.code(_written(found, labels, order), language=None, height=_height(n)),
        compact=True,
    )


def _height(n: int) -> int | Literal["content"]:
    return HEIGHT if n > SHOWN else "content"


def _picture(found: Terms, axis: Axis, order: str, about: str) -> Matrices:
    """Return the terms side by side, the largest of them where there are many."""
    shown = largest(found.terms_N, SHOWN)
    if order == IN_ORDER:
        shown = sorted(shown)
    # Nothing stands on the right where a number is only put in its place.
    named = {
        found.names[1]: found.left_N,
        found.names[2]: found.right_N,
        _(RESULTS[found.rule]): found.terms_N,
    }
    rows = {name: numbers for name, numbers in named.items() if name}
    values = np.array(list(rows.values()))[:, shown]
    finite = np.isfinite(values)
    filled = np.where(finite, values, 0.0).astype(np.float32)
    return Matrices(
        panels=(
            Matrix(
                title=steps_words.terms_title(found, len(shown), about),
                values=filled,
                visible=None if finite.all() else np.ascontiguousarray(finite),
                rows=Axis(name="", labels=tuple(map(TokenLabel, rows))),
                columns=replace(axis, labels=tuple(axis.labels[found.places[i]] for i in shown)),
                scale="signed",
                limit=max(float(np.abs(filled).max()), 1e-6),
                texts=[[steps_words.digits(value) for value in row] for row in values],
                hidden_value="-inf",
            ),
        )
    )


def _written(found: Terms, labels: Sequence[str], order: str) -> str:
    """Return as text with all digits what the terms come to, and a table of all of them."""
    n = len(found.terms_N)
    places = largest(found.terms_N, n) if order == LARGEST else list(range(n))
    columns = {
        found.over: [labels[found.places[i]] for i in places],
        found.names[1]: _exact(found.left_N[places]),
        found.names[2]: _exact(found.right_N[places]),
        RESULTS[found.rule]: _exact(found.terms_N[places]),
    }
    # Nothing stands on the right where a number is only put in its place.
    written = [[name, *cells] for name, cells in columns.items() if name]
    widths = [max(map(len, column)) for column in written]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in zip(*written, strict=True)
    ]
    return "\n".join([*_results(found), "", *lines])


def _results(found: Terms) -> list[str]:
    sums = {}
    if found.rule == "sum":
        sums["sum"] = found.sum
    if found.bias is not None:
        sums |= {"bias": found.bias, "sum + bias": found.total}
    return [f"{name} = {_exact([number])[0]}" for name, number in sums.items()] + [
        f"{found.names[0]} = {_exact([found.recorded])[0]}"
    ]


def _exact(numbers: Iterable[float]) -> list[str]:
    """Return a 32-bit float with as few digits as say which it is, any other with nine."""
    return [
        str(np.float32(number)) if np.float32(number) == number else f"{number:.9g}"
        for number in numbers
    ]
