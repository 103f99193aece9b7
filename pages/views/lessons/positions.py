"""Sinusoidal positions: their waves, their table, and a shift as a rotation."""

from dataclasses import replace

import numpy as np
import streamlit as st

from core.model.positional import exact_sinusoids, sinusoids, timescales
from core.studies.lessons.positions import (
    FARTHEST,
    LONGEST,
    WIDEST,
    Array,
    ClosestRows,
    Rotation,
    Sinusoids,
    closest_rows,
    rotation,
    waves,
)
from pages.frame import components, controls
from pages.frame.charts import chart, plotly_chart
from pages.frame.language import TINY, _, bound, joined, listed, n_, number, short, signs
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons import stacks
from viz.charts.curves import Quantity, Rule, curves
from viz.charts.plotly_figures import heatmap
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

BASES = (1, 10, 100, 1000, 10_000, 100_000)
DEFAULT_LENGTH, DEFAULT_BASE, DEFAULT_POSITION, DEFAULT_SHIFT = 50, 10_000, 12, 3
DIGITS = 4
"""Binary digits of a position."""
SHOWN = 8
"""Dimensions of a shift that are drawn."""


def draw(opened: Opened) -> Shown:
    """Ask for a table of sinusoids, and draw one of its pictures."""
    pictures = {
        "waves": _("waves"),
        "table": _("table"),
        "shift": _("shift"),
        "binary": _("binary numbers"),
    }
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="controls"):
        shown = stacks.ask_picture(opened, "positions_shown", pictures)
        # Asked for last, since the length is their limit, and shown before the size.
        asked = st.container(
            horizontal=True, width="content", vertical_alignment="bottom", gap="small"
        )
        with st.popover(_("Size and base"), width="content"):
            width, length, base = _ask_size(opened, asks_length=shown != "binary")
    table, position, shift = Recipe(Sinusoids, width, length, base), 0, 0
    with asked:
        if shown in ("waves", "shift"):
            usual = min(DEFAULT_POSITION, length - 1)
            position = controls.amount(_("Position"), "pe_pos", usual, limits=(0, length - 1))
        if shown == "shift":
            ends = -FARTHEST, FARTHEST
            shift = controls.amount(
                _("Shift k"),
                "pe_k",
                DEFAULT_SHIFT,
                limits=ends,
                help=_("Below 0: to the left."),
            )
    match shown:
        case "waves":
            return _waves(table, position)
        case "shift":
            return _shift(table, position, shift)
        case "binary":
            return _binary(table)
    return _table(table)


def _ask_size(opened: Opened, *, asks_length: bool) -> tuple[int, int, int]:
    """Ask for the width, the length and the base of the table; binary numbers have a length."""
    own = opened.run.settings.model.d_model
    usual = min(own + own % 2, WIDEST)
    width = controls.amount("d_model", "pe_d_model", usual, step=2, limits=(2, WIDEST))
    base = controls.selection(
        _("Base"),
        "pe_base",
        {each: number(each) for each in BASES},
        DEFAULT_BASE,
        width=130,
        help=_("The paper has 10,000; a larger base makes the slow waves slower."),
    )
    if not asks_length:
        return width, 1 << DIGITS, base
    length = controls.amount(_("Length"), "pe_length", DEFAULT_LENGTH, limits=(1, LONGEST))
    return width, length, base


def _every(table: Recipe[Sinusoids]) -> int:
    """Return how far apart four sines are, each much slower than the last."""
    return max(2, 2 * (table.result().d_model // 24))


def _waves(table: Recipe[Sinusoids], position: int) -> Shown:
    recipe = Recipe(waves, table, _every(table))
    found = recipe.result()
    named = _("dimension {d}: λ = {length}")
    lines = {
        named.format(d=number(at), length=short(wavelength)): values.tolist()
        for at, wavelength, values in zip(
            found.dimensions, found.wavelengths, found.values_DP, strict=True
        )
    }
    title = _("The higher the dimension, the longer its wavelength λ (in positions)")
    picture = curves(
        lines,
        x=Quantity(_("position")),
        y=Quantity(_("value of the dimension"), smooth=True),
        title=title,
        rules=[Rule(position, "")],
    )
    values = listed(number(value, 2) for value in found.values_DP[:, position].tolist())
    sentences = [
        _(
            "By a pattern of numbers that is added to the word’s vector; at position **{p}** "
            "(dashed line) the dimensions drawn, of {d}, are {values}."
        ).format(p=number(position), d=number(table.result().d_model), values=values)
    ]
    closest = closest_rows(table.result().encodings())
    if closest is not None and closest.distance > TINY:
        sentences.append(_("**No other position** has the same values."))
    return Shown(
        name="waves",
        title=_("Dimensions of sinusoidal positions as waves"),
        recipe=recipe,
        seen=joined(sentences),
        code=[sinusoids, exact_sinusoids, timescales],
        pictures=[chart(picture)],
    )


def _table(table: Recipe[Sinusoids]) -> Shown:
    found, title = table.result(), _("The table: a row for each position")
    table_PD = found.encodings()
    columns = _("dimensions 0, 2, 4 …: sine"), _("dimensions 1, 3, 5 …: cosine")
    figure = heatmap(
        table_PD.astype(np.float32), columns, _("position"), title=title, signs=signs()
    )
    return Shown(
        name="table",
        title=title,
        question=_("Does every position get numbers of its own?"),
        recipe=table,
        seen=_distinct(found, closest_rows(table_PD)),
        code=[sinusoids, exact_sinusoids, timescales],
        pictures=[plotly_chart(figure, "pe_map")],
    )


def _distinct(found: Sinusoids, closest: ClosestRows | None) -> str:
    """Say whether positions can be told apart, and how the waves differ from left to right."""
    if closest is None:
        return _("There is one position only, and nothing to tell it from.")
    if closest.distance <= TINY:
        text = _("No: positions {p} and {q}, for example, have the **same** row.")
        return text.format(p=number(closest.first), q=number(closest.second))
    text = _("Yes: **no two** of the {n} rows are equal, so the model can tell positions apart.")
    sentences = [text.format(n=number(found.length))]
    first, *_others, last = found.wavelengths().tolist()
    if last > first:
        text = _(
            "Neighbours differ most on the left: there a wave repeats after {first} positions, on "
            "the right only after {last}."
        )
        sentences.append(text.format(first=short(first), last=short(last)))
    return joined(sentences)


def _binary(table: Recipe[Sinusoids]) -> Shown:
    recipe = Recipe(waves, table, _every(table))
    found = recipe.result()
    bits_PN = (np.arange(1 << DIGITS)[:, None] >> np.arange(DIGITS)) & 1
    rows = numbered(_("position"), 1 << DIGITS)
    places = Axis(
        name=_("value of the digit"), labels=[TokenLabel(str(1 << at)) for at in range(DIGITS)]
    )
    names = Axis(name=_("dimension"), labels=[TokenLabel(str(at)) for at in found.dimensions])
    digits = _signed(_("Binary digits"), bits_PN.astype(float), (rows, places))
    panels = [
        replace(digits, texts=[[number(each) for each in row] for row in bits_PN.tolist()]),
        _signed(_("Sinusoids"), found.values_DP.T, (rows, names)),
    ]
    text = _(
        "In both, each column is slower than the one before: the digit of 1 changes at every "
        "position, that of 8 at every eighth; dimension {first} repeats after **{fast}** "
        "positions, dimension {d} after **{slow}**. A digit jumps, a wave moves little by little."
    )
    return Shown(
        name="binary",
        title=_("Positions as binary numbers and as sinusoids"),
        question=_("What do sinusoids have in common with binary numbers?"),
        recipe=recipe,
        seen=text.format(
            first=number(found.dimensions[0]),
            fast=short(found.wavelengths[0]),
            d=number(found.dimensions[-1]),
            slow=short(found.wavelengths[-1]),
        ),
        code=[sinusoids],
        pictures=[components.show(Matrices(panels=panels), key="pe_binary")],
    )


def _shift(table: Recipe[Sinusoids], position: int, shift: int) -> Shown:
    recipe = Recipe(rotation, table, position, shift)
    found = recipe.result()
    here, there, step = number(position), number(position + shift), number(shift)
    picture = components.show(_turned(found, here, there, step), key="pe_rotation")
    check = _(
        "Checked at all {n} positions of the table: M × position p differs from position p + k by "
        "{x} at most."
    )
    st.caption(check.format(n=number(table.result().length), x=bound(found.error)))
    question = n_(
        "Is a step of {n} position the same wherever it begins?",
        "Is a step of {n} positions the same wherever it begins?",
        shift,
    )
    seen = _(
        "Yes: the **same** matrix M turns every position p into position p + k: M × {p} equals "
        "**{q}** (left picture, last two columns). So attention that learns M can look a fixed "
        "distance away."
    )
    return Shown(
        name="shift",
        title=_("M for k = {k}: a rotation for each pair").format(k=step),
        question=question,
        recipe=recipe,
        seen=seen.format(p=here, q=there),
        code=[timescales],
        pictures=[picture],
    )


def _turned(found: Rotation, here: str, there: str, step: str) -> Matrices:
    """Return the first dimensions of the vectors that M turns, and of M."""
    n = min(SHOWN, len(found.before_D))
    names = here, f"M × {here}", there
    vectors_n3 = np.stack([found.before_D, found.after_D, found.wanted_D], axis=1)[:n]
    rows = numbered(_("dimension, first {n} of {d}").format(n=n, d=len(found.before_D)), n)
    return Matrices(
        panels=[
            _signed(
                _("M × position {p} = position {q}").format(p=here, q=there),
                vectors_n3,
                (rows, Axis(name=_("position"), labels=tuple(map(TokenLabel, names)))),
            ),
            _signed(
                _("M for k = {k}: a rotation for each pair").format(k=step),
                found.matrix_DD[:n, :n],
                (rows, numbered(_("dimension"), n)),
            ),
        ]
    )


def _signed(title: str, values: Array, axes: tuple[Axis, Axis]) -> Matrix:
    """Return a matrix with its numbers in the cells."""
    rows, columns = axes
    return Matrix(
        title=title,
        values=values.astype(np.float32),
        rows=rows,
        columns=columns,
        scale="signed",
        texts=[[number(each, 2) for each in row] for row in values.tolist()],
        value_name=_("value"),
    )
