"""The units of the feed-forward layers: which of them fire on which word."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.config import ModelConfig
from core.describe.formulas import hidden_formula
from core.heads import Site, Stack
from core.model.sublayers import FeedForward
from core.studies.lessons.sublayers import Firing, Unit, firing, hidden_units, top_units
from core.tokenizer.tokenizer import Token
from pages.frame import cached, controls, session
from pages.frame.charts import chart
from pages.frame.files import stacked
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.listed import joined, listed
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.layers import stacks
from pages.views.layers.sizes import ACTIVATIONS
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity
from viz.plane.matrices import Matrix, numbered

SHOWN = 8
"""So many units are listed for a token."""


def draw(opened: Opened) -> Shown:
    """Show which share of the units fires, and the top ones for a token."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stack, tokens = stacks.ask(opened, "unit_stack", "encoder")
        ids = opened.inspection.translation
        hidden = cached.of_model(hidden_units, opened.path, ids.source_ids, ids.fed_ids)
        found = firing(hidden, stack)
        layer = controls.number(_("layer"), len(found.firing_LK), 0, session.LAYER)
        position = stacks.ask_position(opened, stack, session.UNIT_POSITION)
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
    top = top_units(hidden[Site(stack, layer, "feed_forward")], position, n=SHOWN)
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
        numbers=lambda: _numbers(found, top, tokens, layer, position),
        python=_python(opened, stack, layer, position),
        code=(FeedForward, firing, top_units),
        pictures=pictures,
        formula=f"h = {hidden_formula(_layer(opened, stack))}, "
        r"\qquad \text{unit } u \text{ fires if } h_u > 0",
        how_to_read=_below_zero(opened.run.settings.model),
        tries=(
            _("Click a cell: the units of that layer on that word."),
            _("Find a unit that fires on one word only, then change that word."),
        ),
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
        "A unit is one of the {n} hidden number of the feed-forward layer; it fires where it is "
        "above 0. On “{token}” **{here}** of layer {layer} fire; {dead} fire nowhere here.",
        "A unit is one of the {n} hidden numbers of the feed-forward layer; it fires where it is "
        "above 0. On “{token}” **{here}** of layer {layer} fire; {dead} fire nowhere here.",
        n_units,
    ).format(
        token=plain(token),
        layer=number(layer),
        here=percent(found.firing_LK[layer, position]),
        dead=percent(found.dead_L[layer]),
        n=number(n_units),
    )
    if not top:
        return said
    others = len(top[0].others)
    strongest = n_(
        "The strongest there is unit {unit}; it also fires on {n} other token.",
        "The strongest there is unit {unit}; it also fires on {n} other tokens.",
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


def _numbers(
    found: Firing, top: Sequence[Unit], tokens: tuple[Token, ...], layer: int, position: int
) -> Columns:
    """Return a row for each cell of the map, each layer, and each place where a unit fires."""
    layers, positions = np.indices(found.firing_LK.shape).reshape(2, -1).tolist()
    fires = [
        (unit.unit, at, value)
        for unit in top
        for at, value in ((position, unit.activation), *unit.others)
    ]
    shares: Columns = {
        "layer": layers,
        "position": positions,
        "token": [tokens[at].text for at in positions],
        "share": found.firing_LK.reshape(-1).tolist(),
    }
    of_layers: Columns = {
        "layer": list(range(len(found.dead_L))),
        "share_on_no_token": found.dead_L.tolist(),
        "share_on_all_tokens": found.always_L.tolist(),
    }
    of_units: Columns = {
        "layer": [layer] * len(fires),
        "position": [at for _unit, at, _value in fires],
        "token": [tokens[at].text for _unit, at, _value in fires],
        "unit": [unit for unit, _at, _value in fires],
        "value": [value for _unit, _at, value in fires],
    }
    return stacked(shares, of_layers, of_units)


def _python(opened: Opened, stack: Stack, layer: int, position: int) -> str:
    return stacks.python(
        opened,
        [
            "from core.studies.lessons.sublayers import firing, hidden_units, top_units",
            "from core.heads import Site",
        ],
        "hidden = hidden_units(run.model, translation.source_ids, translation.fed_ids)",
        f'found = firing(hidden, "{stack}")',
        f'units_KF = hidden[Site("{stack}", {layer}, "feed_forward")]',
        f"top = top_units(units_KF, {position}, n={SHOWN})",
        "numbers = {",
        '    "share": found.firing_LK,',
        '    "share_on_no_token": found.dead_L,',
        '    "share_on_all_tokens": found.always_L,',
        '    "value": [',
        "        value",
        "        for unit in top",
        "        for value in (unit.activation, *dict(unit.others).values())",
        "    ],",
        "}",
    )
