"""Sinusoidal positions: their waves, their table, and a shift as a rotation."""

import numpy as np
import streamlit as st

from core.config import ConfigError
from core.model.positional import exact_sinusoids, sinusoids, timescales
from core.studies.lessons.positions import (
    FARTHEST,
    LONGEST,
    WIDEST,
    Rotation,
    Sinusoids,
    closest_rows,
    rotation,
    waves,
)
from pages.frame import components, controls
from pages.frame.charts import chart, plotly_chart
from pages.frame.language import TINY, _, bound, joined, listed, number, short, signs
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown, saying_why
from pages.views.lessons import stacks
from viz.charts.curves import Quantity, Rule, curves
from viz.charts.plotly_figures import heatmap
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

BASES = (1, 10, 100, 1000, 10_000, 100_000)
DEFAULT_LENGTH, DEFAULT_BASE, DEFAULT_POSITION = 50, 10_000, 5
SHOWN = 8
"""Dimensions of a shift that are drawn."""


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown:
    """Ask for a table of sinusoids, and draw one of its pictures."""
    pictures = {
        "waves": _("waves"),
        "table": _("table"),
        "shift": _("shift"),
    }
    shown = stacks.ask_picture(opened, "positions_shown", pictures)
    position, shift = 0, 0
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        own = opened.run.settings.model.d_model
        usual = min(own + own % 2, WIDEST)
        width = controls.amount("d_model", "pe_d_model", usual, step=2, limits=(2, WIDEST))
        base = controls.selection(
            _("Base"),
            "pe_base",
            {each: number(each) for each in BASES},
            DEFAULT_BASE,
            width=130,
            help_text=_("The paper has 10,000; a larger base makes the slow waves slower."),
        )
        length = controls.amount(_("Length"), "pe_length", DEFAULT_LENGTH, limits=(1, LONGEST))
        if shown != "table":
            usual = min(DEFAULT_POSITION, length - 1)
            position = controls.amount(_("Position"), "pe_pos", usual, limits=(0, length - 1))
        if shown == "shift":
            ends = -FARTHEST, FARTHEST
            shift = controls.amount(
                _("Shift k"), "pe_k", 5, limits=ends, help_text=_("Below 0: to the left.")
            )
    table = Recipe(Sinusoids, width, length, base)
    match shown:
        case "waves":
            return _waves(table, position)
        case "shift":
            return _shift(table, position, shift)
    return _table(table)


def _waves(table: Recipe[Sinusoids], position: int) -> Shown:
    # Four sines, each much slower than the last.
    recipe = Recipe(waves, table, max(2, 2 * (table.result().d_model // 24)))
    found = recipe.result()
    named = _("dimension {d}, λ {length}")
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
            "By a pattern of numbers that is added to the word’s vector. That of position **{p}**, "
            "along the dashed line: {values}."
        ).format(p=number(position), values=values)
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
    table_PD, title = table.result().encodings(), _("The table: a row for each position")
    axes = _("dimension: even sin, odd cos"), _("position")
    figure = heatmap(table_PD.astype(np.float32), axes, title=title, signs=signs())
    found = closest_rows(table_PD)
    seen = _("There is one position only, and nothing to tell it from.")
    if found is not None:
        text = _("No: positions {p} and {q}, for example, have the **same** row.")
        if found.distance > TINY:
            text = _(
                "Yes: no two rows are equal. Of {n}, the closest, positions {p} and {q} for "
                "example, are **{x}** apart."
            )
        seen = text.format(
            n=number(table.result().length),
            p=number(found.first),
            q=number(found.second),
            x=number(found.distance),
        )
    return Shown(
        name="table",
        title=title,
        question=_("Does every position get numbers of its own?"),
        recipe=table,
        seen=seen,
        code=[sinusoids, exact_sinusoids, timescales],
        pictures=[plotly_chart(figure, "pe_map")],
    )


def _shift(table: Recipe[Sinusoids], position: int, shift: int) -> Shown:
    recipe = Recipe(rotation, table, position, shift)
    found = recipe.result()
    picture = components.show(_turned(found, position, shift), key="pe_rotation")
    check = _(
        "M PE(p) equals PE(p + k) at every position of the table, within {x}. The first pair of "
        "dimensions turns by {first}°, the last by {last}°."
    )
    st.caption(
        check.format(
            x=bound(found.error),
            first=short(found.degrees_E[0]),
            last=short(found.degrees_E[-1]),
        )
    )
    seen = _(
        "Yes: one matrix M moves **every** position by {k}, {p} to **{q}** for example. So "
        "attention can learn to look a fixed distance away."
    )
    return Shown(
        name="shift",
        title=_("M for k = {k}: a rotation for each pair").format(k=number(shift)),
        question=_("Is a distance the same everywhere in the sentence?"),
        recipe=recipe,
        seen=seen.format(p=number(position), q=number(position + shift), k=number(shift)),
        code=[timescales],
        pictures=[picture],
    )


def _turned(found: Rotation, position: int, shift: int) -> Matrices:
    """Return the first dimensions of M and of the vectors that it turns."""
    n = min(SHOWN, len(found.before_D))
    here, there = number(position), number(position + shift)
    names = (
        _("position {p}").format(p=here),
        _("turned by M"),
        _("position {p}").format(p=there),
    )
    vectors_D3 = np.stack([found.before_D, found.after_D, found.wanted_D], axis=1)
    rows = numbered(_("first {n} of {d} dimensions").format(n=n, d=len(found.before_D)), n)
    return Matrices(
        panels=[
            Matrix(
                title=_("M for k = {k}: a rotation for each pair").format(k=number(shift)),
                values=found.matrix_DD[:n, :n].astype(np.float32),
                rows=rows,
                columns=rows,
                scale="signed",
                value_name=_("entry of M"),
            ),
            Matrix(
                title=_("M turns position {p} into {q}").format(p=here, q=there),
                values=vectors_D3[:n].astype(np.float32),
                rows=rows,
                columns=Axis(
                    name=_("vector"),
                    labels=tuple(TokenLabel(name) for name in names),
                ),
                scale="signed",
                value_name=_("value"),
            ),
        ]
    )
