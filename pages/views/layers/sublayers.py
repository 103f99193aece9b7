"""The layers lesson: feed-forward units, and which sublayer mixes positions."""

import json

import numpy as np
import streamlit as st

from core.analysis.lessons.mixing import LONGEST, Moved, influence
from core.analysis.lessons.units import Firing, firing, hidden_units, top_units
from core.heads import Site
from core.model.sublayers import FeedForward
from core.tokenizer import Token
from pages.frame import cached, clicks, controls, lesson, session
from pages.frame import lesson_controls as lesson_controls
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.text import _, percent, plain
from pages.views.layers.depth import tokens_of
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

SHOWN = 8
"""So many units are listed for a token."""


def units(opened: Opened) -> None:
    """Show which share of the units fires, and the top ones for a token."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stack = lesson_controls.stack("unit_stack", "encoder")
        tokens = tokens_of(opened, stack)
        config = opened.run.settings.model
        n_layers = config.n_encoder_layers if stack == "encoder" else config.n_decoder_layers
        layer = controls.number(_("layer"), n_layers, 0, session.LAYER)
        position = controls.number(_("position"), len(tokens), 0, session.UNIT_POSITION)
    ids = opened.inspection.translation
    hidden = cached.of_model(hidden_units, opened.path, ids.source_ids, ids.fed_ids)
    found = firing(hidden, stack)
    left, right = st.columns(2, gap="large")
    with left:
        matrices(
            Matrices(panels=[_firing_map(found, tokens, stack)], selected=(0, layer, position)),
            key=session.UNITS,
            on_pick=clicks.take_unit_cell,
        )
    left.caption(
        _(
            "Layer {layer}: {dead} of the {n} units fire on no token of this sentence, {always} on "
            "all."
        ).format(
            layer=layer,
            dead=percent(found.dead_L[layer]),
            always=percent(found.always_L[layer]),
            n=config.d_ff,
        )
    )
    top = top_units(hidden[Site(stack, layer, "feed_forward")], position, n=SHOWN)
    right.markdown(
        _("**Layer {layer}: the units that fire most on position {position}**").format(
            layer=layer, position=position
        )
    )
    table: dict[str, list[object]] = {
        _("unit"): [unit.unit for unit in top],
        _("value here"): [f"{unit.activation:.3g}" for unit in top],
        _("fires else on"): [
            ", ".join(f"{plain(tokens[at].text)} ({value:.3g})" for at, value in unit.others)
            for unit in top
        ],
    }
    with right:
        st.table(table, border="horizontal", hide_index=True)
        lesson.numbers(
            "units",
            {
                "unit": [unit.unit for unit in top],
                "value": [unit.activation for unit in top],
                "other positions": [json.dumps(dict(unit.others)) for unit in top],
            },
        )
    lesson.explained(
        Explanation(
            formula=r"h = \max(0,\, x W_1 + b_1), \qquad \text{unit } u \text{ fires if } h_u > 0",
            tries=(
                _("Click a cell: the units of that layer on that word."),
                _("Find a unit that fires on one word only, then change that word."),
            ),
            code=(FeedForward, firing, top_units),
        )
    )


def _firing_map(found: Firing, tokens: tuple[Token, ...], stack: str) -> Matrix:
    values = found.firing_LK.astype(np.float32)
    return Matrix(
        title=_("Share of the feed-forward units that fire"),
        values=values,
        rows=numbered(_("layer"), len(values)),
        columns=Axis(
            name=_("word"),
            labels=labels(tokens),
            side="source" if stack == "encoder" else "target",
        ),
        value_name=_("share"),
    )


def sides(opened: Opened) -> None:
    """Show which position's input moves which position's output in both sublayers."""
    config, ids = opened.run.settings.model, opened.inspection.translation
    with st.container(horizontal=True, vertical_alignment="center"):
        layer = controls.number(_("layer"), config.n_encoder_layers, 0, session.LAYER)
    found = cached.of_model(influence, opened.path, layer, ids.source_ids)
    named = labels(opened.inspection.source_tokens[:LONGEST], opened.inspection.unknown_words)

    # One scale for both, so that the same colour means the same.
    limit = max(found.attention.largest, found.feed_forward.largest, 1e-6)

    def panel(title: str, moved: Moved, note: str) -> Matrix:
        return Matrix(
            title=title,
            values=moved.ratio_KK.astype(np.float32),
            rows=Axis(name=_("output at"), labels=named, side="source"),
            columns=Axis(name=_("input moved at"), labels=named, side="source"),
            limit=limit,
            value_name=_("output moves / input moves"),
            note=note,
        )

    matrices(
        Matrices(
            panels=[
                panel(
                    _("Self-attention"),
                    found.attention,
                    _("It mixes positions by weights computed from this sentence."),
                ),
                panel(
                    _("Feed-forward"),
                    found.feed_forward,
                    _("W is the same at every position; the ReLU makes the strength differ."),
                ),
            ]
        ),
        key="side_maps",
    )
    least, most = found.attention.away_from_diagonal
    said = _(
        "Away from the diagonal: attention {least:.2g} … {most:.2g}, feed-forward at most "
        "{none:g}. Each input was moved in one random direction (seed 0)."
    ).format(least=least, most=most, none=found.feed_forward.away_from_diagonal[1])
    if len(opened.inspection.source_tokens) > LONGEST:
        said += " " + _("Only the first {n} tokens are shown.").format(n=LONGEST)
    st.caption(said)
    lesson.explained(
        Explanation(
            formula=r"\sum_h A_h X W_h^V W_h^O,\quad A_h = \mathrm{softmax}\!\left("
            r"\tfrac{Q_h K_h^\top}{\sqrt{d_k}}\right) \text{ from this sentence} \qquad "
            r"\text{against}\qquad \max(0, X W_1 + b_1) W_2 + b_2",
            tries=(
                _("Change one word of the sentence: the left map changes in other rows, too."),
                _("Guided model, last layer: what moves “it” most?"),
            ),
            code=(influence,),
        )
    )
