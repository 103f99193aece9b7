"""Which sublayer mixes positions: self-attention does, the feed-forward layer never."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.describe.formulas import WEIGHTS, sublayer_input
from core.heads import Side
from core.studies.lessons.of_sentence import sentence_mixing
from core.studies.lessons.sublayers import LONGEST, Influence, Moved, influence
from core.tokenizer.tokenizer import Token
from pages.frame import controls, selection, session
from pages.frame.components import matrices
from pages.frame.language import _, joined, n_, number
from pages.frame.maps import labels
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.plane.matrices import Axis, Matrices, Matrix


def draw(opened: Opened) -> Shown:
    """Show which position's input moves which position's output in both sublayers."""
    config = opened.run.settings.model
    n_layers = config.n_encoder_layers or config.n_decoder_layers
    with selection.row():
        layer = controls.number(_("layer"), n_layers, 0, session.LAYER)
    recipe = Recipe(sentence_mixing, opened.path, opened.sentence, layer)
    found = recipe.result().result
    picture = matrices(Matrices(panels=_panels(opened, found)), key="side_maps")
    said = _(
        "Move one word’s vector a little, and self-attention moves what comes out at **other** "
        "words, by up to **{most}** of that; the feed-forward layer moves them by **{none}**."
    ).format(
        most=number(found.attention.away_from_diagonal[1], significant=2, padded=False),
        none=number(found.feed_forward.away_from_diagonal[1], significant=2, padded=False),
    )
    st.caption(_("Each input is moved a little in one random direction (seed 0)."))
    if not config.n_encoder_layers:
        st.caption(_("A decoder sees nothing later: above the diagonal all is 0."))
    if len(_tokens(opened)) > LONGEST:
        shown = n_(
            "Only the first {n} token is shown.", "Only the first {n} tokens are shown.", LONGEST
        ).format(n=number(LONGEST))
        said = joined([said, shown])
    # Nothing is hidden where this looks.
    weights = WEIGHTS[config.scores].replace(" + M", "")
    values, bias = ("(X W_h^V + b_h^V)", " + b^O") if config.attention_bias else ("X W_h^V", "")
    return Shown(
        name=f"mixing.{layer}",
        title=_("How far each output moves when one input does"),
        seen=said,
        recipe=recipe,
        code=(influence,),
        pictures=[picture],
        formula=rf"\sum_h A_h {values} W_h^O{bias},\quad A_h = {weights}"
        rf"\text{{ from this sentence}},\quad X = {sublayer_input(config, 'x')} \qquad "
        r"\text{against}\qquad \max(0, X W_1 + b_1) W_2 + b_2",
    )


def _tokens(opened: Opened) -> Sequence[Token]:
    """Return what the stack reads that is looked at: the encoder, or a decoder alone."""
    return opened.inspection.source_tokens or opened.inspection.fed_tokens


def _panels(opened: Opened, found: Influence) -> list[Matrix]:
    inspection = opened.inspection
    named = labels(_tokens(opened)[:LONGEST], inspection.unknown_words)
    side: Side = "source" if inspection.source_tokens else "target"
    # One scale for both, so that the same colour means the same.
    limit = max(found.attention.largest, found.feed_forward.largest, 1e-6)

    def panel(title: str, moved: Moved, note: str) -> Matrix:
        return Matrix(
            title=title,
            values=moved.ratio_KK.astype(np.float32),
            rows=Axis(name=_("output at"), labels=named, side=side),
            columns=Axis(name=_("input moved at"), labels=named, side=side),
            limit=limit,
            value_name=_("output moves / input moves"),
            note=note,
        )

    return [
        panel(
            _("Self-attention"),
            found.attention,
            _("It mixes positions by weights computed from this sentence."),
        ),
        panel(
            _("Feed-forward"),
            found.feed_forward,
            _("W is the same at every position; the activation makes the strength differ."),
        ),
    ]
