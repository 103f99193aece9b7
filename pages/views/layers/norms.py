"""The layers lesson: what LayerNorm does, and what BatchNorm would."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.lessons.masking import read_sources
from core.analysis.lessons.normalisation import (
    NormStudy,
    Vectors,
    around_norm,
    batch_norm,
    study_norms,
)
from core.heads import Site
from core.tokenizer import Token
from pages.frame import cached, controls, lesson, session
from pages.frame import lesson_controls as lesson_controls
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.text import _
from viz.charts.bars import bars
from viz.charts.curves import Quantity
from viz.plane.matrices import Axis, Matrices, Matrix, numbered


def norms(opened: Opened) -> None:
    """Draw vectors before and after a LayerNorm, and what BatchNorm would do to them."""
    model, ids = opened.run.model, opened.inspection.translation
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sentences = lesson_controls.sentences(opened)
        layer = controls.number(_("layer"), model.config.n_encoder_layers, 0, session.LAYER)
        kind = lesson_controls.sublayer()
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
    rows, cut = cached.of_run(read_sources, opened.path, sentences)
    study = cached.of_model(study_norms, opened.path, site, rows[0], rows[1:])
    with left:
        _compared(study, tokens)
        if len(rows) == 1:
            st.caption(_("There is nothing to compare with: add a sentence."))
        if cut:
            st.caption(_("A sentence was cut: the model has no more positions."))
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


def _range(values: NDArray[np.float64]) -> str:
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
            value=Quantity(_("mean change of a feature")),
            title=_("How far this sentence moves when others are in its batch"),
        )
    )
    st.caption(
        _(
            "Compared with the sentence alone ({alone} positions): {together} positions with "
            "the others, {padded} with their padding. BatchNorm's features have variance 1; "
            "LayerNorm's are the model's, with gain and bias, and move by {least:.1e} at most."
        ).format(
            alone=study.n_alone,
            together=study.n_together,
            padded=study.n_padded,
            least=study.layer_norm_K.max(),
        )
    )
    lesson.numbers("layer_norms", {"token": names, **series})
