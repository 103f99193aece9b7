"""What reading n tokens costs with attention, with linear attention, and with a recurrent unit."""

import streamlit as st

from core.config import ModelConfig
from core.studies.lessons.counts import LENGTHS, Cost, ReadingCost, Unit, cost, reading_cost
from pages.frame.charts import charts
from pages.frame.language import N_, _, labelled, number, short
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.charts.curves import Quantity, curves

NAMES: dict[Unit, str] = {
    "attention": N_("attention"),
    "linear": N_("linear attention"),
    "gru": N_("GRU"),
}


def draw(opened: Opened) -> Shown:
    """Draw steps, multiplications and kept numbers of each unit by the number of tokens."""
    recipe = Recipe(reading_cost, opened.path)
    found = recipe.result()
    drawn = (
        (_("1. Steps that wait for each other"), _("steps"), "steps", 1),
        (_("2. Multiplications"), _("millions"), "multiplications", 1_000_000),
        (_("3. Numbers kept on the way"), _("thousands"), "kept", 1_000),
    )
    figures = []
    for title, name, field, scale in drawn:
        series = {
            _(NAMES[unit]): [getattr(each, field) / scale for each in costs]
            for unit, costs in found.costs.items()
        }
        figure = curves(
            series,
            x=Quantity(_("tokens"), log=True),
            y=Quantity(name, log=True),
            at=LENGTHS,
            title=title,
        )
        figures.append(figure)
    return Shown(
        name="reading",
        title=_("What a layer of this width costs by the number of tokens it reads"),
        question=_("What does it cost to read n tokens?"),
        recipe=recipe,
        seen=_seen(found),
        code=[cost],
        pictures=charts(st.columns(3, gap="medium"), figures),
        formula=_formula(opened.run.settings.model),
    )


def _seen(found: ReadingCost) -> str:
    """Say what the longest text costs with each unit, per layer."""
    last: dict[Unit, Cost] = {unit: costs[-1] for unit, costs in found.costs.items()}
    text = _(
        "To read {n} tokens, a GRU of this model’s width takes **{steps} steps**, one after the "
        "other, a layer of attention **{one}**. Attention multiplies {times} times as often as the "
        "GRU, and keeps {kept} weights, the GRU {state} numbers."
    )
    return text.format(
        n=number(LENGTHS[-1]),
        steps=number(last["gru"].steps),
        one=number(last["attention"].steps),
        times=short(last["attention"].multiplications / last["gru"].multiplications),
        kept=number(last["attention"].kept),
        state=number(last["gru"].kept),
    )


def _formula(config: ModelConfig) -> str:
    """Return the multiplications of each unit and what it keeps, in LaTeX, and the widths."""
    projections = r"n\, d\, (h + g) (d_k + d_v)"
    counts: dict[Unit, tuple[str, str]] = {
        "attention": (rf"{projections} + n^2 h\, (d_k + d_v)", "n^2 h"),
        "linear": (rf"{projections} + n\, h\, d_k (2 d_v + 1)", r"h\, d_k (d_v + 1)"),
        "gru": (r"6\, n\, d^2", "d"),
    }
    kept = rf",\quad \text{{{labelled(_('kept'), '')}}} "
    lines = [
        rf"\text{{{labelled(_(NAMES[unit]), '')}}} {kept.join(both)}"
        for unit, both in counts.items()
    ]
    sizes = {"d": config.d_model, "h": config.n_heads, "g": config.n_key_value_sets}
    sizes |= {"d_k": config.d_k, "d_v": config.d_v}
    widths = r",\; ".join(f"{name} = {size}" for name, size in sizes.items())
    return r"\begin{gathered}" + r" \\ ".join([*lines, widths]) + r"\end{gathered}"
