"""The units of the feed-forward layers: which of them fire on which word."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.config import ModelConfig
from core.describe.formulas import hidden_formula
from core.heads import Stack
from core.model.sublayers import FeedForward
from core.studies.lessons.of_sentence import sentence_units
from core.studies.lessons.sublayers import Firing, Unit, firing, top_units
from core.tokenizer.tokenizer import Token
from pages.frame import controls, selection, session
from pages.frame.charts import chart
from pages.frame.language import _, joined, listed, n_, number, percent, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons import stacks
from pages.views.lessons.counts import ACTIVATIONS
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity
from viz.plane.matrices import Matrix, numbered


def draw(opened: Opened) -> Shown:
    """Show which share of the units fires, and the top ones for a token."""
    with selection.row():
        stack, tokens = stacks.ask(opened, "unit_stack", opened.run.model.config.stacks[0])
        n_layers = opened.run.settings.model.layers_of(stack)
        layer = controls.number(_("layer"), n_layers, 0, session.LAYER)
        position = stacks.ask_position(opened, stack, session.UNIT_POSITION)
    recipe = Recipe(sentence_units, opened.path, opened.sentence, stack, layer, position)
    units = recipe.result().result
    found, top = units.firing, units.top
    left, right = st.columns(2, gap="large")
    with left:
        picture = stacks.matrix(
            opened,
            stack,
            _firing_map(opened, found, stack),
            (layer, position),
            session.UNITS,
            lambda row: {session.LAYER: row, session.UNIT_POSITION: None},
        )
    pictures = [picture]
    with right:
        if top:
            pictures.append(chart(_strongest(top[0], position, tokens)))
    if top:
        with st.expander(
            _("The units of layer {layer} that fire most on “{token}”").format(
                layer=number(layer), token=plain(tokens[position].text)
            ),
            type="compact",
        ):
            _table(top, tokens)
    return Shown(
        name="units",
        title=_("Share of the feed-forward units that fire"),
        seen=_seen(
            found, (layer, position), opened.run.settings.model.d_ff, tokens[position].text, top
        ),
        recipe=recipe,
        code=(FeedForward, firing, top_units),
        pictures=pictures,
        formula=f"h = {hidden_formula(_layer(opened, stack))}, "
        r"\qquad \text{unit } u \text{ fires if } h_u > 0",
        how_to_read=_below_zero(opened.run.settings.model),
    )


def _layer(opened: Opened, stack: Stack) -> FeedForward:
    """Return the first feed-forward layer of a stack; all of them compute the same."""
    return next(
        each
        for each in opened.run.model.modules()
        if isinstance(each, FeedForward) and each.site.stack == stack
    )


def _below_zero(config: ModelConfig) -> str:
    """Say what a unit is that does not fire: 0 only where the activation is ReLU."""
    activation = _(ACTIVATIONS[config.activation])
    if config.gated:
        return _(
            "The activation is {activation}, and what comes of it is multiplied by a second number "
            "(a gated layer). A unit may so be far below 0; it counts as firing above 0 only."
        ).format(activation=activation)
    if config.activation != "relu":
        return _(
            "The activation is {activation}: a unit that does not fire is a little below 0, not 0 "
            "as after ReLU."
        ).format(activation=activation)
    return _("The activation is ReLU: a unit that does not fire is 0.")


def _strongest(unit: Unit, position: int, tokens: Sequence[Token]) -> Chart:
    """Return on which tokens a unit fires, and how strongly."""
    values = {position: unit.activation, **dict(unit.others)}
    return bars(
        {_("value"): [values.get(at, 0.0) for at in range(len(tokens))]},
        [token.text for token in tokens],
        value=Quantity(_("value of the unit; 0 where it does not fire")),
        title=_("One unit, number {unit}: where it fires").format(unit=unit.unit),
        marked=position,
    )


def _firing_map(opened: Opened, found: Firing, stack: Stack) -> Matrix:
    values = found.firing_LK.astype(np.float32)
    return Matrix(
        title=_("Share of the feed-forward units that fire"),
        values=values,
        rows=numbered(_("layer"), len(values)),
        columns=stacks.axis(opened, stack),
        # As far as it goes here: few units fire on a word, and on a scale to 1 all cells are dark.
        limit=max(float(values.max()), 1e-6),
        value_name=_("share of the units"),
    )


def _seen(
    found: Firing, cell: tuple[int, int], n_units: int, token: str, top: Sequence[Unit]
) -> str:
    """Say how many units of a layer fire on a token, and on how many others the strongest does."""
    layer, position = cell
    said = n_(
        "On “{token}” **{here}** of the {n} unit of layer {layer} fire.",
        "On “{token}” **{here}** of the {n} units of layer {layer} fire.",
        n_units,
    ).format(
        token=plain(token),
        layer=number(layer),
        here=percent(found.firing_LK[layer, position]),
        n=number(n_units),
    )
    if not top:
        return said
    others = len(top[0].others)
    strongest = n_(
        "The strongest is unit {unit}; it also fires on {n} other token.",
        "The strongest is unit {unit}; it also fires on {n} other tokens.",
        others,
    ).format(unit=top[0].unit, n=number(others))
    return joined([said, strongest])


def _table(top: Sequence[Unit], tokens: tuple[Token, ...]) -> None:
    st.table(
        {
            _("unit"): [unit.unit for unit in top],
            _("value here"): [number(unit.activation, padded=False) for unit in top],
            _("also fires on"): [
                listed(
                    f"{plain(tokens[at].text)} {number(value, padded=False)}"
                    for at, value in unit.others
                )
                for unit in top
            ],
        },
        border="horizontal",
        hide_index=True,
    )
