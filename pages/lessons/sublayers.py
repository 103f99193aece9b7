"""The layers lesson: LayerNorm, feed-forward units, and which sublayer mixes positions."""

import numpy as np
import streamlit as st

from core.analysis.masking import companions, padded_batch
from core.analysis.normalisation import NormStudy, Vectors, around_norm, batch_norm, study_norms
from core.analysis.sides import LONGEST, influence
from core.analysis.units import Firing, firing, hidden_units, top_units
from core.masks import PAD
from core.model import Site
from core.model.layers import FeedForward
from core.tokenizer import Token
from pages.lessons import controls as asked
from pages.lessons.depth import tokens_of
from pages.shared import cached, controls, lesson, session
from pages.shared.charts import chart
from pages.shared.lesson import Explanation
from pages.shared.maps import labels
from pages.shared.matrices import matrices
from pages.shared.opening import Opened
from pages.shared.text import _, percent
from viz.bars import bars
from viz.curves import Quantity
from viz.matrices import Axis, Matrices, Matrix, numbered

SHOWN = 8
"""So many units are listed for a token."""


def norms(opened: Opened) -> None:
    """Draw vectors before and after a LayerNorm, and what BatchNorm would do to them."""
    model, ids = opened.run.model, opened.inspection.translation
    own = cached.of_run(companions, opened.path)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        others = asked.others("\n".join(own), of=opened.path.name)
        layer = controls.number(_("layer"), model.config.n_encoder_layers, 0, session.LAYER)
        kind = asked.sublayer()
    site = Site("encoder", layer, kind)
    found = cached.of_model(around_norm, opened.path, site, ids.source_ids, ids.fed_ids)
    tokens = opened.inspection.source_tokens
    left, right = st.columns(2, gap="large")
    with right:
        # One below the other: side by side a vector's features would get too small.
        before = _vectors(opened, found.before, _("Before LayerNorm"))
        after = _vectors(opened, found.after, _("After LayerNorm, with gain and bias"))
        matrices(Matrices(panels=[before]), key="before_norm")
        matrices(Matrices(panels=[after]), key="after_norm")
    right.caption(
        _(
            "Standard deviation over the features, per position: before {before}, normalised "
            "{bare}, after gain and bias {after}. Means before: {mean}."
        ).format(
            before=_range(found.before.deviation_K),
            bare=_range(found.bare.deviation_K),
            after=_range(found.after.deviation_K),
            mean=_range(found.before.mean_K),
        )
    )
    batch = cached.of_run(padded_batch, opened.path, (opened.sentence, *others))
    rows = [tuple(i for i in row if i != PAD) for row in batch.source_BS.tolist()]
    study = cached.of_model(study_norms, opened.path, site, rows[0], tuple(rows[1:]))
    with left:
        _compared(study, tokens)
    lesson.explained(
        Explanation(
            formula=r"\text{LayerNorm: } \mu, \sigma \text{ over the } d \text{ features of one "
            r"position} \qquad \text{BatchNorm: } \mu, \sigma \text{ of one feature over all "
            r"positions of the batch}",
            tries=(
                _("Delete the other sentences: BatchNorm has nothing left to depend on."),
                _("Make one of them very long: everything is padded, and BatchNorm counts it."),
            ),
            code=(around_norm, batch_norm, study_norms),
        )
    )


def _vectors(opened: Opened, vectors: Vectors, title: str) -> Matrix:
    values = vectors.vectors_KD.astype(np.float32)
    return Matrix(
        title=title,
        values=values,
        rows=Axis(
            name=_("word"),
            labels=labels(opened.inspection.source_tokens, opened.inspection.unknown_words),
            side="source",
        ),
        columns=numbered(_("feature"), values.shape[1]),
        scale="signed",
        limit=max(float(np.abs(values).max()), 1e-6),
        value_name=_("value"),
    )


def _range(values: np.ndarray) -> str:
    return f"{values.min():.3g} … {values.max():.3g}"


def _compared(study: NormStudy, tokens: tuple[Token, ...]) -> None:
    """Draw how far each position moves when other sentences stand beside it."""
    series = {
        "LayerNorm": study.layer_norm_K.tolist(),
        "BatchNorm": study.batch_norm_K.tolist(),
        _("BatchNorm, padding counted"): study.batch_norm_padded_K.tolist(),
    }
    names = [token.text for token in tokens]
    chart(
        bars(
            series,
            names,
            value=Quantity(_("mean change of a feature, in standard deviations")),
            title=_("How far this sentence moves when others are in its batch"),
        )
    )
    st.caption(
        _(
            "Compared with the sentence alone ({alone} positions): {together} positions with the "
            "others, {padded} with their padding. LayerNorm moves by {least:.1e} at most."
        ).format(
            alone=study.n_alone,
            together=study.n_together,
            padded=study.n_padded,
            least=study.layer_norm_K.max(),
        )
    )
    lesson.numbers("norms", {"token": names, **series})


def units(opened: Opened) -> None:
    """Show which share of the units fires, and the top ones for a token."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stack = asked.stack()
        tokens = tokens_of(opened, stack)
        config = opened.run.settings.model
        n_layers = config.n_encoder_layers if stack == "encoder" else config.n_decoder_layers
        layer = controls.number(_("layer"), n_layers, 0, session.LAYER)
        position = controls.number(_("position"), len(tokens), 0, session.POSITION)
    ids = opened.inspection.translation
    hidden = cached.of_model(hidden_units, opened.path, ids.source_ids, ids.fed_ids)
    found = firing(hidden, stack)
    left, right = st.columns(2, gap="large")
    with left:
        matrices(
            Matrices(panels=[_firing_map(found, tokens, stack)], selected=(0, layer, position)),
            key=session.UNITS,
            on_pick=session.take_unit_cell,
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
            ", ".join(f"{tokens[at].text} ({value:.3g})" for at, value in unit.others)
            for unit in top
        ],
    }
    with right:
        st.table(table, border="horizontal", hide_index=True)
        lesson.numbers("units", table)
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
    n = len(found.attention_KK)
    named = labels(opened.inspection.source_tokens[:n])

    def panel(title: str, values: np.ndarray, note: str) -> Matrix:
        return Matrix(
            title=title,
            values=values.astype(np.float32),
            rows=Axis(name=_("output at"), labels=named, side="source"),
            columns=Axis(name=_("input moved at"), labels=named, side="source"),
            limit=max(float(values.max()), 1e-6),
            value_name=_("output moves / input moves"),
            note=note,
        )

    matrices(
        Matrices(
            panels=[
                panel(_("Self-attention: A X W"), found.attention_KK, _("made from the sentence")),
                panel(_("Feed-forward: X W"), found.feed_forward_KK, _("the same everywhere")),
            ]
        ),
        key="side_maps",
    )
    off_QK = ~np.eye(n, dtype=bool)
    said = _(
        "Away from the diagonal: attention {least:.2g} … {most:.2g}, feed-forward at most "
        "{none:g}. Each input was moved in one random direction (seed 0)."
    ).format(
        least=found.attention_KK[off_QK].min(initial=np.inf) if n > 1 else 0.0,
        most=found.attention_KK[off_QK].max(initial=0.0),
        none=found.feed_forward_KK[off_QK].max(initial=0.0),
    )
    if len(opened.inspection.source_tokens) > LONGEST:
        said += " " + _("Only the first {n} tokens are shown.").format(n=LONGEST)
    st.caption(said)
    lesson.explained(
        Explanation(
            formula=r"\underbrace{\mathrm{softmax}\!\left(\tfrac{Q K^\top}{\sqrt{d_k}}\right)}_"
            r"{n \times n,\ \text{from the sentence}} X W \qquad\text{against}\qquad "
            r"X \underbrace{W}_{\text{the same at every position}}",
            tries=(
                _("Change one word of the sentence: the left map changes everywhere."),
                _("Guided model, last layer: what moves “it” most?"),
            ),
            code=(influence,),
        )
    )
