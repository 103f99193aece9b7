"""Sinusoidal positions: their waves, their table, their dot products, and a shift as a rotation."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.config import ConfigError
from core.model.positional import exact_sinusoids, sinusoids, timescales
from core.studies.lessons.positions import (
    LONGEST,
    WIDEST,
    DotProducts,
    Rotation,
    Sinusoids,
    closest_rows,
    dot_products,
    rotation,
    waves,
)
from pages.frame import controls
from pages.frame.charts import chart, plotly_chart
from pages.frame.components import matrices
from pages.frame.language import TINY, _, bound, joined, n_, number, short, signs
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown, saying_why
from pages.views.lessons import stacks
from viz.charts.curves import Quantity, Rule, curves
from viz.charts.plotly_figures import surface
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

BASES = (1, 10, 100, 1000, 10_000, 100_000)
DEFAULT_LENGTH, DEFAULT_BASE, DEFAULT_POSITION = 50, 10_000, 20
SHOWN = 8
"""Dimensions of a shift that are drawn."""


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown:
    """Ask for a table of sinusoids, and draw one of its pictures."""
    pictures = {
        "waves": _("waves"),
        "table": _("table"),
        "dots": _("dot products"),
        "shift": _("shift"),
    }
    shown = stacks.ask_picture(opened, "positions_shown", pictures)
    asked = row()
    with asked:
        own = opened.run.settings.model.d_model
        usual = min(own + own % 2, WIDEST)
        width = controls.amount("d_model", "pe_d_model", usual, help_text=_up_to(WIDEST))
        base = controls.selection(
            _("Base"),
            "pe_base",
            {each: number(each) for each in BASES},
            DEFAULT_BASE,
            width=130,
            help_text=_("The paper has 10,000; a larger base makes the slow waves slower."),
        )
        table = Recipe(Sinusoids, width, length(), base)
    return {"waves": _waves, "table": _table, "dots": _dots, "shift": _shift}[shown](asked, table)


def row() -> DeltaGenerator:
    """Return the row in which controls with a label above stand."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small")


def length(usual: int = DEFAULT_LENGTH) -> int:
    """Ask for the number of positions."""
    # What was typed stays from one view to the other, though they begin with different ones.
    return controls.amount(
        _("Length"), "pe_length", usual, help_text=_up_to(LONGEST), of="positions"
    )


def _up_to(largest: int) -> str:
    return _("Up to {n}.").format(n=number(largest))


def _waves(asked: DeltaGenerator, table: Recipe[Sinusoids]) -> Shown:
    with asked:
        # Four sines to begin with, each much slower than the last.
        usual = max(2, 2 * (table.result().d_model // 24))
        every = controls.amount(_("Every"), "pe_every", usual)
    recipe = Recipe(waves, table, every)
    found = recipe.result()
    named = _("dimension {d}, λ {length}")
    lines = {
        named.format(d=number(at), length=short(wavelength)): values.tolist()
        for at, wavelength, values in zip(
            found.dimensions, found.wavelengths, found.values_DP, strict=True
        )
    }
    picture = chart(
        curves(
            lines,
            x=Quantity(_("position")),
            y=Quantity(_("value of the dimension")),
            title=_("The higher the dimension, the slower its wave (λ in positions)"),
        )
    )
    first, last = found.wavelengths[0], found.wavelengths[-1]
    text = _("Dimension {first} comes round every **{length}** positions.")
    if first != last:
        text = _(
            "Dimension {first} comes round every **{length}** positions, dimension {last} every "
            "**{longest}**: {times} times as long."
        )
    return Shown(
        name="waves",
        title=_("Dimensions of sinusoidal positions as waves"),
        recipe=recipe,
        seen=text.format(
            first=number(found.dimensions[0]),
            last=number(found.dimensions[-1]),
            length=short(first),
            longest=short(last),
            times=short(last / first),
        ),
        code=[sinusoids, exact_sinusoids, timescales],
        pictures=[picture],
    )


def _table(_asked: DeltaGenerator, table: Recipe[Sinusoids]) -> Shown:
    made = table.result()
    table_PD, title = made.encodings(), _("Every position has a row of its own")
    axes = _("position"), _("dimension: even sin, odd cos"), _("value")
    # A sine beside its cosine would be a saw.
    groups = range(0, made.d_model, 2), range(1, made.d_model, 2)
    figure = surface(table_PD.astype(np.float32), axes, groups, title=title, signs=signs())
    found = closest_rows(table_PD)
    seen = _("There is one position only, and nothing to tell it from.")
    if found is not None:
        seen = _(
            "The closest of the {n} rows are **{x}** apart, positions **{p}** and **{q}** for "
            "example: no row comes twice."
        ).format(
            n=number(made.length),
            p=number(found.first),
            q=number(found.second),
            x=number(found.distance),
        )
    return Shown(
        name="table",
        title=title,
        recipe=table,
        seen=seen,
        code=[sinusoids, exact_sinusoids, timescales],
        pictures=[plotly_chart(figure, "pe_map")],
    )


def _dots(asked: DeltaGenerator, table: Recipe[Sinusoids]) -> Shown:
    with asked:
        position = controls.amount(_("Position"), "pe_pos", DEFAULT_POSITION)
    made = table.result()
    recipe = Recipe(dot_products, Recipe(Sinusoids.encodings, table), position)
    found = recipe.result()
    left, right = st.columns([5, 4])
    with left:
        title = _("Position {p}: left and right look alike").format(p=number(position))
        curve = curves(
            {_("dot product"): found.curve_P.tolist()},
            x=Quantity(_("position q")),
            y=Quantity(_("PE({p}) · PE(q)").format(p=number(position))),
            title=title,
            rules=[Rule(position, _("itself"))],
        )
        pictures = [chart(curve)]
    with right:
        axis = numbered(_("position"), made.length)
        whole = Matrix(
            title=_("All positions: every diagonal is constant"),
            values=found.products_PP.astype(np.float32),
            rows=axis,
            columns=axis,
            scale="signed",
            limit=made.d_model / 2,
            value_name=_("dot product"),
        )
        panels = Matrices(panels=[whole], selected=(0, position, position))
        pictures.append(matrices(panels, key="pe_dots"))
    return Shown(
        name="dots",
        title=_("The dot products of sinusoidal positions"),
        recipe=recipe,
        seen=_alike(found, position),
        pictures=pictures,
    )


def _alike(found: DotProducts, position: int) -> str:
    """Say that left and right look alike, and that only the distance counts."""
    if found.asymmetry is None:
        said = _("Position **{p}** has neighbours on one side only.").format(p=number(position))
    else:
        said = _(
            "Seen from position **{p}**, the dot product k places to the left and to the right "
            "differs by less than **{x}**: it does not tell left from right."
        ).format(p=number(position), x=bound(max(found.asymmetry, TINY / 2)))
    spread = _("The same distance gives the same everywhere, within {x}.")
    return joined([said, spread.format(x=bound(max(found.spread, TINY / 2)))])


def _shift(asked: DeltaGenerator, table: Recipe[Sinusoids]) -> Shown:
    with asked:
        position = controls.amount(_("Position"), "pe_pos", DEFAULT_POSITION)
        shift = controls.amount(_("Shift k"), "pe_k", 5, help_text=_("Below 0: to the left."))
    recipe = Recipe(rotation, table, position, shift)
    found = recipe.result()
    picture = matrices(_turned(found, position, shift), key="pe_rotation")
    n_positions = table.result().length
    check = n_(
        "M PE(p) equals PE(p + k) for the {n} position up to {x}.",
        "M PE(p) equals PE(p + k) for all {n} positions up to {x}.",
        n_positions,
    )
    st.caption(check.format(n=number(n_positions), x=short(found.error)))
    seen = _(
        "One matrix M turns every position into the one {k} places on, **wherever the word "
        "stands**: of the three columns beside it the last two are equal. The first pair of "
        "dimensions turns by **{first}°**, the last by **{last}°**."
    )
    return Shown(
        name="shift",
        title=_("M for k = {k}: a rotation for each pair").format(k=number(shift)),
        recipe=recipe,
        seen=seen.format(
            k=number(shift), first=short(found.degrees_E[0]), last=short(found.degrees_E[-1])
        ),
        code=[timescales],
        pictures=[picture],
    )


def _turned(found: Rotation, position: int, shift: int) -> Matrices:
    """Return the first dimensions of M and of the vectors that it turns."""
    n = min(SHOWN, len(found.before_D))
    here, there = number(position), number(position + shift)
    names = (f"PE({here})", f"M PE({here})", f"PE({there})")
    vectors_D3 = np.stack([found.before_D, found.after_D, found.wanted_D], axis=1)
    rows = numbered(_("dimension"), n)
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
                title=_("Position {p}, turned").format(p=here),
                values=vectors_D3[:n].astype(np.float32),
                rows=rows,
                columns=Axis(
                    name=_("before, turned, by the formula"),
                    labels=tuple(TokenLabel(name) for name in names),
                ),
                scale="signed",
                value_name=_("value"),
            ),
        ]
    )
