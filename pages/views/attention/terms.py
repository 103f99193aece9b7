"""One number of a stage of a head: how it came about, term by term, and what it says."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from core.studies.heads.stages import Rule, Stage, Terms, largest
from core.studies.heads.steps import HeadSteps
from pages.frame import components
from pages.frame.language import N_, _, labelled, n_, number, plain
from pages.frame.selection import Selection
from pages.views.attention.seen import LEAST
from pages.views.attention.stages import axis_of, named_cell, named_row_and_column
from viz.component.payload import TokenLabel
from viz.component.standalone import Drawn
from viz.plane.matrices import Axis, Matrices, Matrix

SHOWN = 8
"""The largest terms, which the picture shows; the table has all."""
LOOKED_UP = 3
"""Keys with the largest weights of a row, which a look-up names."""
TERMS = "terms"
Names = tuple[str, str, str]
"""What a number is called, and what it was made of on the left and on the right."""
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
    name = names_of(selected, steps, stage, cell, found)[0]
    return components.show(_picture(found, axis, name), key=TERMS)


def names_of(
    selected: Selection, steps: HeadSteps, stage: Stage, cell: tuple[int, int], found: Terms
) -> Names:
    """Return what a number is called, and what it was made of on the left and on the right."""
    number_name = f"{symbol(found.names[0])} ({named_cell(selected, steps, stage, cell)})"
    left, right = map(symbol, found.names[1:])
    match found.rule:
        case "share":
            return number_name, _("score"), ""
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


def symbol(name: str) -> str:
    """Return what a matrix is called, without the place in it.

    >>> symbol("W^Q[:, 7]")
    'W^Q'
    """
    matrix = name.partition("[")[0]
    return _("head output") if matrix == "mixed" else matrix


def _picture(found: Terms, axis: Axis, name: str) -> Matrices:
    """Return the terms below each other, the largest of them where there are many."""
    shown = largest(found.terms_N, SHOWN)
    left, right = map(symbol, found.names[1:])
    columns = {_("score") if found.rule == "share" else left: found.left_N}
    # Powers of e are the weights on another scale, and of a number that is only put in its place
    # nothing stands on the right.
    if found.rule not in ("share", "copy"):
        columns[right] = found.right_N
    columns[_(RESULTS[found.rule])] = found.terms_N
    values = np.array(list(columns.values()))[:, shown].T
    finite = np.isfinite(values)
    filled = np.ascontiguousarray(np.where(finite, values, 0.0).astype(np.float32))
    rows = replace(axis, labels=tuple(axis.labels[found.places[i]] for i in shown))
    # Weights go from 0 to 1 whatever their scores are, so that they have a scale of their own.
    weights = found.rule == "share"
    parts = [slice(0, 1), slice(1, 2)] if weights else [slice(None)]
    labels = tuple(map(TokenLabel, columns))
    panels = []
    for part in parts:
        of_weights = weights and part.start == 1
        shown_part, finite_part = filled[:, part], finite[:, part]
        texts = [[digits(value) for value in row] for row in values[:, part]]
        panels.append(
            Matrix(
                title=_("weight") if of_weights else _title(found, len(shown), name),
                values=np.ascontiguousarray(shown_part),
                visible=None if finite_part.all() else np.ascontiguousarray(finite_part),
                rows=rows,
                columns=Axis(name="", labels=labels[part]),
                scale="weight" if of_weights else "signed",
                limit=1.0 if of_weights else max(float(np.abs(shown_part).max()), 1e-6),
                texts=[[number(share, 2)] for [share] in values[:, part]] if of_weights else texts,
                value_name="" if not weights else _("weight") if of_weights else _("score"),
            )
        )
    return Matrices(panels=panels)


def digits(value: float) -> str:
    """Return a number with three digits; from 1,000 on, and below 0.001, with fewer.

    >>> digits(-0.056149), digits(float("-inf")), digits(1.0), digits(123456.0), digits(1e-8)
    ('−0.0561', '−∞', '1.00', '123,456', '0.000')
    """
    if 0 < abs(value) < 0.0005:
        return number(0.0, 3)
    return number(value, 0) if abs(value) >= 1000 else number(value)


def equation(found: Terms, names: Names) -> str:
    """Return in one line how a number came about, as Markdown."""
    name, left, right = map(plain, names)
    total = f"**{digits(found.recorded)}**"
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
    return f"{name} = {left} = {total}"


def divided(steps: HeadSteps, cell: tuple[int, int], key: str) -> str:
    """Say how a score comes from its product; empty where it is more than that divided."""
    if Stage.SCALE not in steps.formulas or steps.position_bias_QK is not None:
        return ""
    text = _("The score of “{key}” is q·k / √d_k = {product} / {root} = {score}.")
    return text.format(
        key=key,
        product=digits(float(steps.products_QK[cell])),
        root=digits(steps.divisor),
        score=digits(float(steps.scores_QK[cell])),
    )


def scores(steps: HeadSteps, found: Terms) -> str:
    """Say which score a weight comes from, beside the largest other one of its row."""
    at = found.column
    others = [each for each in largest(found.terms_N, 2) if each != at]
    if not others:
        return ""
    first = others[0]
    text = _(
        "Softmax turns the scores {score} (“{key}”) and {second} (“{other}”) into the weights "
        "**{weight}** and **{other_weight}**."
    )
    names = [plain(steps.keys[found.places[each]].text) for each in (at, first)]
    return text.format(
        key=names[0],
        other=names[1],
        score=digits(found.left_N[at]),
        second=digits(found.left_N[first]),
        weight=number(found.total, 2),
        other_weight=number(float(found.terms_N[first]), 2),
    )


def look_up(steps: HeadSteps, query: int) -> str:
    """Say what a query gets from a head, beside what it would get from a dictionary."""
    weights_K = steps.weights_QK[query]
    first = [at for at in largest(weights_K, LOOKED_UP) if weights_K[at] >= LEAST]
    parts = [f"{number(float(weights_K[at]), 2)} × “{plain(steps.keys[at].text)}”" for at in first]
    rest = 1 - float(weights_K[first].sum())
    if rest >= LEAST:
        parts.append(_("{share} in all for the others").format(share=number(rest, 2)))
    text = _(
        "A look-up: a dictionary in Python returns one value, that of the equal key. This head "
        "compares the query of “{query}” with every key, and returns a mean of their values by "
        "weight: **{mean}**."
    )
    return text.format(query=plain(steps.queries[query].text), mean=" + ".join(parts))


def weighted_values(steps: HeadSteps, cell: tuple[int, int], found: Terms) -> str:
    """Say of which weighted values one number of a head's output is the sum."""
    at = largest(found.terms_N, 1)[0]
    text = _(
        "Dimension {d} of the head output for “{query}” is the sum of weight × value over all "
        "words: **{total}**; most comes from “{key}” ({term})."
    )
    return text.format(
        d=number(cell[1]),
        query=plain(steps.queries[cell[0]].text),
        total=digits(found.recorded),
        key=plain(steps.keys[found.places[at]].text),
        term=digits(found.terms_N[at]),
    )


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
        shown: How many of its terms are in the picture.
        name: Of the number.
    """
    n = len(found.terms_N)
    if shown == n:
        return name
    text = n_("the {k} largest of {n} term", "the {k} largest of {n} terms", n)
    return labelled(name, text.format(k=number(shown)))
