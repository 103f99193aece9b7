"""One number of a stage of a head: how it came about, term by term."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import streamlit as st

from core.studies.heads.stages import Stage
from core.studies.heads.steps import HeadSteps
from core.studies.heads.terms import Rule, Terms, largest, shares_of_heads
from pages.frame import controls
from pages.frame.components import matrices
from pages.frame.folded import fold
from pages.frame.language import N_, _, n_, number, percent, plain
from pages.frame.listed import labelled, listed
from pages.frame.messages import explained
from pages.frame.selection import Selection
from pages.views.attention.stages import axis_of, named_cell, named_row_and_column
from viz.component.payload import TokenLabel
from viz.component.standalone import Drawn
from viz.plane.matrices import Axis, Matrices, Matrix

SHOWN = 8
"""So many terms stand in the picture; the text has all."""
HEIGHT = 230
"""Of the text, in pixels."""
LARGEST, IN_ORDER = "largest", "order"
TERMS = "terms"
Names = tuple[str, str, str]
"""What a number is called, and what it was made of on the left and on the right."""
ORDER = "terms_order"
"""Name of the widget and of the URL's parameter."""
RESULTS: Mapping[Rule, str] = {
    "sum": N_("product"),
    "quotient": N_("quotient"),
    "plus": N_("sum"),
    "mask": N_("score"),
    "share": N_("weight"),
    "copy": N_("same"),
}
"""What a term is called."""


def draw(
    selected: Selection, steps: HeadSteps, stage: Stage, cell: tuple[int, int], found: Terms
) -> Drawn:
    """Draw how one number came about, `found`; return the picture to take away."""
    axis = axis_of(selected, steps, found.over)
    labels = [label.text for label in axis.labels]
    n = len(found.terms_N)
    names = names_of(selected, steps, stage, cell, found)
    above = st.container()
    order = _ask_order() if n > 1 else IN_ORDER
    with above:
        picture = matrices(_picture(found, axis, order, names[0]), key=TERMS)
    if said := _about(steps, stage, cell, found):
        st.caption(said)
    fold(
        _("All terms, with all digits"),
        "terms",
        lambda: st.code(_written(found, names[0], labels, order), language=None, height=_height(n)),
        compact=True,
    )
    return picture


def _ask_order() -> str:
    """Ask in which order the terms stand."""
    orders = {LARGEST: _("largest first"), IN_ORDER: _("in order")}
    older = {"largest first": LARGEST, "in order": IN_ORDER}
    return controls.choice(_("Terms"), ORDER, orders, LARGEST, older=older)


def _height(n: int) -> int | Literal["content"]:
    return HEIGHT if n > SHOWN else "content"


def names_of(
    selected: Selection, steps: HeadSteps, stage: Stage, cell: tuple[int, int], found: Terms
) -> Names:
    """Return what a number is called, and what it was made of on the left and on the right."""
    number_name = f"{symbol(found.names[0])} ({named_cell(selected, steps, stage, cell)})"
    left, right = map(symbol, found.names[1:])
    match found.rule:
        case "share":
            return number_name, *_headings(found)
        case "sum":
            # The cell of a sum is that of a row of the left matrix and a column of the right one.
            row, column = named_row_and_column(selected, steps, stage, cell)
            return (
                number_name,
                _("{symbol} of {what}").format(symbol=left, what=row),
                _("{symbol} of {what}").format(symbol=right, what=column),
            )
        case "copy":
            head = number(cell[1] // steps.d_v)
            return number_name, _("{symbol} of head {head}").format(symbol=left, head=head), ""
    return number_name, left, right


def _headings(found: Terms) -> tuple[str, str]:
    """Return what stands above the numbers on the left and on the right; nothing where none do."""
    if found.rule == "share":
        return _("score"), explained(found.names[2])
    left, right = found.names[1:]
    return symbol(left), symbol(right)


def symbol(name: str) -> str:
    """Return the symbol of a matrix without the place in it.

    >>> symbol("W^Q[:, 7]")
    'W^Q'
    """
    return name.partition("[")[0]


def _picture(found: Terms, axis: Axis, order: str, name: str) -> Matrices:
    """Return the terms below each other, the largest of them where there are many."""
    shown = largest(found.terms_N, SHOWN)
    if order == IN_ORDER:
        shown = sorted(shown)
    left, right = _headings(found)
    columns = {left: found.left_N, right: found.right_N, _(RESULTS[found.rule]): found.terms_N}
    # Powers of e are the weights on another scale, and of a number that is only put in its place
    # nothing stands on the right.
    if found.rule in ("share", "copy"):
        del columns[right]
    values = np.array(list(columns.values()))[:, shown].T
    finite = np.isfinite(values)
    filled = np.ascontiguousarray(np.where(finite, values, 0.0).astype(np.float32))
    texts = [[digits(value) for value in row] for row in values]
    if found.rule == "share":
        texts = [[digits(score), percent(share)] for score, share in values]
    return Matrices(
        panels=(
            Matrix(
                title=_title(found, len(shown), name),
                values=filled,
                visible=None if finite.all() else np.ascontiguousarray(finite),
                rows=replace(axis, labels=tuple(axis.labels[found.places[i]] for i in shown)),
                columns=Axis(name="", labels=tuple(map(TokenLabel, columns))),
                scale="signed",
                limit=max(float(np.abs(filled).max()), 1e-6),
                texts=texts,
                hidden_value="-inf",
            ),
        )
    )


def _written(found: Terms, name: str, labels: Sequence[str], order: str) -> str:
    """Return as text with all digits what the terms come to, and a table of all of them."""
    n = len(found.terms_N)
    places = largest(found.terms_N, n) if order == LARGEST else list(range(n))
    left, right = _headings(found)
    columns = {
        found.over: [labels[found.places[i]] for i in places],
        left: _exact(found.left_N[places]),
        right: _exact(found.right_N[places]),
        _(RESULTS[found.rule]): _exact(found.terms_N[places]),
    }
    # Nothing stands on the right where a number is only put in its place.
    written = [[name, *cells] for name, cells in columns.items() if name]
    widths = [max(map(len, column)) for column in written]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in zip(*written, strict=True)
    ]
    return "\n".join([*_results(found, name), "", *lines])


def _results(found: Terms, name: str) -> list[str]:
    sums = {}
    if found.rule == "sum":
        sums[_("sum")] = found.sum
    if found.bias is not None:
        sums |= {_("bias"): found.bias, _("sum + bias"): found.total}
    return [
        f"{each} = {_exact([value])[0]}" for each, value in {**sums, name: found.recorded}.items()
    ]


def _exact(numbers: Iterable[float]) -> list[str]:
    """Return a 32-bit float with as few digits as say which it is, any other with nine.

    They are to be copied into programs, so they are the same in every language.
    """
    return [
        str(np.float32(each)) if np.float32(each) == each else format(each, ".9g")
        for each in numbers
    ]


def digits(value: float) -> str:
    """Return a number with three digits; from 1,000 on, without decimals.

    >>> digits(-0.056149), digits(float("-inf")), digits(1.0), digits(123456.0), digits(0.0)
    ('−0.0561', '−∞', '1.00', '123,456', '0')
    """
    return number(value, 0) if abs(value) >= 1000 else number(value)


def equation(found: Terms, names: Names) -> str:
    """Return in one line how a number came about, as Markdown."""
    return _equation(found, *map(plain, names), total=f"**{_total(found)}**")


def written(found: Terms, names: Names) -> str:
    """Return in one line how a number came about, as text."""
    return _equation(found, *names, total=_total(found))


def _total(found: Terms) -> str:
    return percent(found.total) if found.rule == "share" else digits(found.recorded)


def _equation(found: Terms, name: str, left: str, right: str, *, total: str) -> str:
    match found.rule:
        case "sum":
            offset = "" if found.bias is None else " + b"
            sums = "" if found.bias is None else f"{_less(found.sum, -found.bias)} = "
            return f"{name} = {left} · {right}{offset} = {sums}{total}"
        case "quotient":
            numbers = f"{digits(found.left_N[0])} / {digits(found.right_N[0])}"
            return f"{name} = {left} / {right} = {numbers} = {total}"
        case "plus":
            return (
                f"{name} = {left} + {right} = {_less(found.left_N[0], -found.right_N[0])} = {total}"
            )
        case "mask":
            kept = _("visible, so the score stays") if found.right_N[0] else _("hidden, so it is")
            return labelled(name, f"{kept} {total}")
        case "share":
            most = found.left_N.max()
            score = _less(found.left_N[found.column], most)
            powers = digits(float(np.exp(found.left_N - most).sum()))
            return f"{name} = e^({score}) / {powers} = {total}"
    return f"{name} = {left} = {total}"


def _less(number: float, other: float) -> str:
    """Return one number less another one, never with two signs in a row.

    >>> _less(0.5, 2.0), _less(0.5, -2.0)
    ('0.500 − 2.00', '0.500 + 2.00')
    """
    return f"{digits(number)} {'−' if other >= 0 else '+'} {digits(abs(other))}"


def _title(found: Terms, shown: int, name: str) -> str:
    """Return what the picture of a number's terms shows.

    Args:
        found: The number.
        shown: So many of its terms are in the picture.
        name: Of the number.
    """
    n = len(found.terms_N)
    if n == 1:
        return name
    if shown == n:
        if found.rule == "share":
            text = n_("all {n} share", "all {n} shares", n)
        else:
            text = n_("all {n} product", "all {n} products", n)
    elif found.rule == "share":
        text = n_("the {k} largest of {n} share", "the {k} largest of {n} shares", n)
    else:
        text = n_("the {k} largest of {n} product", "the {k} largest of {n} products", n)
    return labelled(name, text.format(k=number(shown), n=number(n)))


def _about(steps: HeadSteps, stage: Stage, cell: tuple[int, int], found: Terms) -> str:
    """Return what there is to say about a number beside its terms."""
    if found.rule == "share":
        text = _(
            "From every score the row's largest, {most}, is taken off first: all shares stay, and "
            "no power of e gets too large for a computer. {sum} is the sum of the row's powers."
        )
        powers = np.exp(found.left_N - found.left_N.max()).sum()
        return text.format(most=digits(found.left_N.max()), sum=digits(float(powers)))
    if stage is Stage.OUTPUT:
        shares = shares_of_heads(steps, *cell)
        each = listed(labelled(number(head), digits(share)) for head, share in enumerate(shares))
        text = _("What each head gives to it: {each}; the bias gives {bias}.")
        return text.format(each=each, bias=digits(found.bias or 0.0))
    return ""
