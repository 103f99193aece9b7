"""Which sublayer mixes positions: self-attention does, the feed-forward layer never."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.describe.formulas import WEIGHTS, sublayer_input
from core.heads import Side
from core.studies.lessons.sublayers import LONGEST, Influence, Moved, influence, sentence_mixing
from core.tokenizer.tokenizer import Token
from pages.frame import components, controls, session
from pages.frame.language import _, n_, percent
from pages.frame.maps import labels
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from viz.plane.matrices import Axis, Matrices, Matrix


def draw(opened: Opened) -> Shown:
    """Show which position's input moves which position's output in both sublayers."""
    config = opened.run.settings.model
    n_layers = config.n_encoder_layers or config.n_decoder_layers
    with row():
        layer = controls.number(_("layer"), n_layers, 0, session.LAYER)
    recipe = Recipe(sentence_mixing, opened.writer, opened.sentence, layer)
    found = recipe.result().result
    texts = {"cell": _("input {column} → output {row} {value}")}
    picture = components.show(Matrices(panels=_panels(opened, found), texts=texts), key="side_maps")
    sentence = _(
        "Change one word’s vector a little: self-attention passes up to **{most}** of the change "
        "on to other words, the feed-forward layer **{none}**."
    ).format(
        most=percent(found.attention.away_from_diagonal[1]),
        none=percent(found.feed_forward.away_from_diagonal[1]),
    )
    if not config.n_encoder_layers:
        st.caption(_("A decoder sees nothing later: above the diagonal all is 0."))
    if len(_tokens(opened)) > LONGEST:
        st.caption(
            n_(
                "Only the first {n} token is shown.",
                "Only the first {n} tokens are shown.",
                LONGEST,
            )
        )
    # Nothing is hidden where this looks.
    weights = WEIGHTS[config.scores].replace(" + M", "")
    values, bias = ("(X W_h^V + b_h^V)", " + b^O") if config.attention_bias else ("X W_h^V", "")
    return Shown(
        name=f"mixing.{layer}",
        title=_("How far each output changes when one input does"),
        seen=sentence,
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
    # One scale for both, so that the same colour means the same; the diagonal may be beyond it.
    limit = max(found.attention.largest, 1e-6)

    def panel(title: str, moved: Moved) -> Matrix:
        return Matrix(
            title=title,
            values=moved.ratio_KK.astype(np.float32),
            rows=Axis(name=_("output at"), labels=named, side=side),
            columns=Axis(name=_("input changed at"), labels=named, side=side),
            limit=limit,
            value_name=_("change of the output / of the input"),
        )

    return [
        panel(_("Self-attention: a word reaches other words"), found.attention),
        panel(_("Feed-forward: each word only itself"), found.feed_forward),
    ]
