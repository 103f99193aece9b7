"""The units of the feed-forward layers: which of them fire on which word."""

import math

import numpy as np
import streamlit as st

from core.config import ModelConfig
from core.describe.formulas import hidden_formula
from core.heads import Stack
from core.model.sublayers import FeedForward
from core.studies.lessons.sublayers import FiringUnits, firing, sentence_units, top_units
from pages.frame import controls, session
from pages.frame.language import N_, _, joined, listed, n_, number, percent, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from pages.views.lessons import stacks
from pages.views.lessons.stacks import Place
from viz.component.payload import TokenLabel
from viz.direction import isolated
from viz.plane.matrices import Axis, Matrix, numbered

LONG = 4
"""Letters of a token that is named where it does not react: shorter ones say little."""
ACTIVATIONS = {
    "relu": N_("ReLU"),
    "gelu": N_("GELU"),
    "gelu_tanh": N_("GELU by tanh"),
    "silu": N_("SiLU"),
}


def draw(opened: Opened) -> Shown:
    """Show which share of the units fires, and the top ones for a token."""
    with row():
        place = stacks.ask_place(opened, "unit_stack", session.UNIT_POSITION)
        stack, position = place.stack, place.position
        n_layers = opened.run.settings.model.layers_of(stack)
        # To begin with, the layer in which most fire on the word.
        any_layer = Recipe(sentence_units, opened.writer, opened.sentence, stack).result().result
        usual = int(any_layer.firing_LK[:, position].argmax())
        layer = controls.number(_("layer"), n_layers, usual, session.LAYER)
    recipe = Recipe(sentence_units, opened.writer, opened.sentence, stack, layer, position)
    found = recipe.result().result
    brief = session.is_brief()
    left, right = st.columns([2, 3] if brief else 2, gap="large")
    pictures = []
    with left:
        if found.top:
            pictures.append(stacks.matrix(opened, place, _top_map(opened, found, place), 0, "top"))
        alone = _("A unit’s value at a word comes from the vector of that word alone.")
        st.caption(joined([alone, _below_zero(opened.run.settings.model)]))
    if not brief:
        with right:
            st.caption(_share(found, opened.run.settings.model.d_ff, place.token))
            shown = _firing_map(opened, found, place)
            drawn = stacks.matrix(opened, place, shown, layer, session.UNITS, session.LAYER)
            pictures.append(drawn)
    return Shown(
        name="units",
        title=_("Share of a layer’s units that react to each word"),
        seen=joined(["" if brief else _seen(found, place.token), _unmoved(found, place)]),
        recipe=recipe,
        code=(FeedForward, firing, top_units),
        pictures=pictures,
        formula=f"h = {hidden_formula(_layer(opened, stack))}, "
        r"\qquad \text{unit } u \text{ fires if } h_u > 0",
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
            "The activation is {activation}, and its value is multiplied by a second number (a "
            "gated layer). So a unit may be far below 0; it fires above 0 only."
        ).format(activation=activation)
    if config.activation != "relu":
        return _(
            "The activation is {activation}: a unit that does not fire is a little below 0, not 0 "
            "as after ReLU."
        ).format(activation=activation)
    return _("The activation is ReLU: a unit that does not fire is 0.")


def _top_map(opened: Opened, found: FiringUnits, place: Place) -> Matrix:
    """Return the values of the units that react most to a word, on all words."""
    values = np.zeros((len(found.top), len(place.tokens)), dtype=np.float32)
    for row_values, unit in zip(values, found.top, strict=True):
        for at, value in ((found.position, unit.activation), *unit.others):
            row_values[at] = value
    title = _("The units of layer {layer} that react most to “{token}”")
    return Matrix(
        title=title.format(layer=number(found.layer), token=isolated(place.token)),
        values=values,
        rows=Axis(name=_("unit"), labels=[TokenLabel(number(unit.unit)) for unit in found.top]),
        columns=stacks.axis(opened, place),
        limit=float(values.max()),
        value_name=_("value (0: no reaction)"),
    )


def _firing_map(opened: Opened, found: FiringUnits, place: Place) -> Matrix:
    values = 100 * found.firing_LK.astype(np.float32)
    return Matrix(
        title=_("Share of a layer’s units that react to each word"),
        values=values,
        rows=numbered(_("layer"), len(values)),
        columns=stacks.axis(opened, place),
        # Few units fire on a word: on a scale to 100 all cells would be dark.
        limit=max(5.0 * math.ceil(float(values.max()) / 5), 5.0),
        value_name=_("% of the units"),
    )


def _share(found: FiringUnits, n_units: int, token: str) -> str:
    """Say how many units of the layer react to the word."""
    return n_(
        "**{here}** of the {n} unit of layer {layer} reacts to “{token}”.",
        "**{here}** of the {n} units of layer {layer} react to “{token}”.",
        n_units,
    ).format(
        token=plain(token),
        layer=number(found.layer),
        here=percent(found.firing_LK[found.layer, found.position]),
    )


def _unmoved(found: FiringUnits, place: Place) -> str:
    """Name the longer tokens at which none of the top units fires; empty where there is none."""
    fires = {at for unit in found.top for at, _value in unit.others}
    words = [
        _("“{token}”").format(token=plain(token.text))
        for at, token in enumerate(place.tokens)
        if at not in fires and at != found.position and len(token.text) >= LONG
    ]
    if not found.top or not words:
        return ""
    text = _("None of the {n} units shown reacts to {words}.")
    return text.format(n=number(len(found.top)), words=listed(words))


def _seen(found: FiringUnits, token: str) -> str:
    """Say whether the units that react most to a word react to it alone."""
    if not found.top:
        return _("No unit of this layer reacts to “{token}”.").format(token=plain(token))
    n_alone = sum(not unit.others for unit in found.top)
    text = _("All **{n}** units that react most to “{token}” also react to other words.")
    if n_alone:
        text = _(
            "**{alone} of the {n}** units that react most to “{token}” react to no other word of "
            "the sentence."
        )
    return text.format(n=number(len(found.top)), token=plain(token), alone=number(n_alone))
