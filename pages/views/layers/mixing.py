"""Which sublayer mixes positions: self-attention does, the feed-forward layer never."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.describe.formulas import sublayer_input
from core.heads import Side
from core.model.scoring import WEIGHTS
from core.studies.lessons.sublayers import LONGEST, Influence, Moved, influence
from core.tokenizer.tokenizer import Token
from pages.frame import cached, controls, session
from pages.frame.components import matrices
from pages.frame.language import _, n_, number
from pages.frame.listed import joined
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.layers import stacks
from viz.plane.matrices import Axis, Matrices, Matrix


def draw(opened: Opened) -> Shown:
    """Show which position's input moves which position's output in both sublayers."""
    config, translation = opened.run.settings.model, opened.inspection.translation
    in_encoder = config.n_encoder_layers > 0
    n_layers = config.n_encoder_layers or config.n_decoder_layers
    ids = translation.source_ids if in_encoder else translation.fed_ids
    read = "source_ids" if in_encoder else "fed_ids"
    with st.container(horizontal=True, vertical_alignment="center"):
        layer = controls.number(_("layer"), n_layers, 0, session.LAYER)
    found = cached.of_model(influence, opened.path, layer, ids)
    picture = matrices(Matrices(panels=_panels(opened, found)), key="side_maps")
    said = _(
        "Move one word’s vector a little, and self-attention moves what comes out at **other** "
        "words, by up to **{most}** of that; the feed-forward layer moves them by **{none}**."
    ).format(
        most=number(found.attention.away_from_diagonal[1], significant=2, padded=False),
        none=number(found.feed_forward.away_from_diagonal[1], significant=2, padded=False),
    )
    st.caption(_("Each input is moved a little in one random direction (seed 0)."))
    if not in_encoder:
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
        numbers=lambda: _numbers(opened, found),
        python=stacks.python(
            opened,
            ["from core.studies.lessons.sublayers import influence"],
            f"found = influence(run.model, {layer}, translation.{read})",
            "numbers = {",
            '    "self_attention": found.attention.ratio_KK,',
            '    "feed_forward": found.feed_forward.ratio_KK,',
            "}",
        ),
        code=(influence,),
        pictures=[picture],
        formula=rf"\sum_h A_h {values} W_h^O{bias},\quad A_h = {weights}"
        rf"\text{{ from this sentence}},\quad X = {sublayer_input(config, 'x')} \qquad "
        r"\text{against}\qquad \max(0, X W_1 + b_1) W_2 + b_2",
        tries=(
            _("Change one word of the sentence: the left map changes in other rows, too."),
            _("Choose another layer: which word moves the others most?"),
        ),
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


def _numbers(opened: Opened, found: Influence) -> Columns:
    """Return a row for each cell: the output of its row moves with the input of its column."""
    tokens = [token.text for token in _tokens(opened)]
    rows, columns = np.indices(found.attention.ratio_KK.shape).reshape(2, -1).tolist()
    return {
        "row": rows,
        "row_token": [tokens[row] for row in rows],
        "column": columns,
        "column_token": [tokens[column] for column in columns],
        "self_attention": found.attention.ratio_KK.reshape(-1).tolist(),
        "feed_forward": found.feed_forward.ratio_KK.reshape(-1).tolist(),
    }
