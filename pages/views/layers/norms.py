"""What LayerNorm does to one position, and what BatchNorm would do."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.lessons.masking import read_sources
from core.analysis.lessons.normalisation import (
    AroundNorm,
    NormStudy,
    Vectors,
    around_norm,
    batch_norm,
    study_norms,
)
from core.heads import Site, Sublayer
from core.model.description import Description, describe
from pages.frame import cached, controls, opening, session
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.files import stacked
from pages.frame.language import _, number
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.snippets import listed
from pages.frame.view import Columns, Shown
from pages.views.layers import stacks
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity
from viz.plane.matrices import Axis, Matrices, Matrix, numbered


def draw(opened: Opened) -> Shown:
    """Draw vectors before and after a LayerNorm, and what BatchNorm would do to them."""
    ids = opened.inspection.translation
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sentences = opening.ask_batch(opened)
        site = _ask_site(describe(opened.run.model, 1, 1))
    found = cached.of_model(around_norm, opened.path, site, ids.source_ids, ids.fed_ids)
    rows, cut = cached.of_run(read_sources, opened.path, sentences)
    study = cached.of_model(study_norms, opened.path, site, rows[0], rows[1:])
    left, right = st.columns(2, gap="large")
    with right:
        # One below the other: side by side a vector's features would get too small.
        before = _vectors(opened, found.before, _("Before LayerNorm"))
        after = _vectors(opened, found.after, _("After LayerNorm, with gain and bias"))
        pictures = [
            matrices(Matrices(panels=[before]), key="before_norm"),
            matrices(Matrices(panels=[after]), key="after_norm"),
        ]
        _say_ranges(found)
    with left:
        pictures.insert(0, chart(_compared(opened, study)))
        _say_counts(study)
        if len(rows) == 1:
            st.caption(_("There is nothing to compare with: add a sentence."))
        if cut:
            st.caption(_("A sentence was cut: the model has no more positions."))
    return Shown(
        name="layer_norms",
        title=_("How far this sentence moves when others are in its batch"),
        seen=_seen(found, study),
        numbers=lambda: _numbers(opened, found, study),
        python=_python(opened, site, sentences),
        code=(around_norm, batch_norm, study_norms),
        pictures=pictures,
        formula=r"\text{LayerNorm: } \mu, \sigma \text{ over the } d \text{ features of one "
        r"position} \qquad \text{BatchNorm: } \mu, \sigma \text{ of one feature over all "
        r"positions of the batch}",
        tries=(
            _("Delete the other sentences: BatchNorm has nothing left to depend on."),
            _("Make one of them very long: everything is padded, and BatchNorm counts it."),
        ),
    )


def _seen(found: AroundNorm, study: NormStudy) -> str:
    """Say how far the sentence moves, and what a norm does to its vectors."""
    text = _(
        "With other sentences in the batch its vectors move by up to **{batch}** under BatchNorm, "
        "under LayerNorm by **{layer}**. LayerNorm brings the standard deviation of each vector "
        "from {before} to {bare}."
    )
    return text.format(
        batch=number(study.batch_norm_K.max(), significant=2),
        layer=number(study.layer_norm_K.max(), significant=2),
        before=_range(found.before.deviation_K),
        bare=_range(found.bare.deviation_K),
    )


def _ask_site(described: Description) -> Site:
    """Ask for a layer of the encoder, and for one of its sublayers."""
    layer = controls.number(_("layer"), described.stacks["encoder"], 0, session.LAYER)
    offered = {
        part.site.sublayer: _(part.label)
        for part in described.sublayers
        if part.site is not None and part.site.in_encoder and part.layer == layer
    }
    older: dict[str, Sublayer] = {"self-attention": "self", "feed-forward": "feed_forward"}
    first = next(iter(offered))
    chosen = controls.choice(_("Sublayer"), "sublayer", offered, first, older=older)
    return Site("encoder", layer, chosen)


def _vectors(opened: Opened, vectors: Vectors, title: str) -> Matrix:
    values = vectors.vectors_KD.astype(np.float32)
    inspection = opened.inspection
    return Matrix(
        title=title,
        values=values,
        rows=Axis(
            name=_("word"),
            labels=labels(inspection.source_tokens, inspection.unknown_words),
            side="source",
        ),
        columns=numbered(_("feature"), values.shape[1]),
        scale="signed",
        limit=max(float(np.abs(values).max()), 1e-6),
        value_name=_("value"),
    )


def _say_ranges(found: AroundNorm) -> None:
    st.caption(
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


def _range(values: NDArray[np.float64]) -> str:
    least, most = (number(each, padded=False) for each in (values.min(), values.max()))
    return f"{least} … {most}"


def _compared(opened: Opened, study: NormStudy) -> Chart:
    """Return how far each position moves when other sentences stand beside it."""
    return bars(
        {
            "LayerNorm": study.layer_norm_K.tolist(),
            "BatchNorm": study.batch_norm_K.tolist(),
            _("BatchNorm, padding counted"): study.batch_norm_padded_K.tolist(),
        },
        [token.text for token in opened.inspection.source_tokens],
        value=Quantity(_("mean change of a feature")),
        title=_("How far this sentence moves when others are in its batch"),
    )


def _say_counts(study: NormStudy) -> None:
    st.caption(
        _(
            "Compared with the sentence alone ({alone} positions): {together} positions with "
            "the others, {padded} with their padding. BatchNorm's features have variance 1; "
            "LayerNorm's are the model's, with gain and bias, and move by {least} at most."
        ).format(
            alone=number(study.n_alone),
            together=number(study.n_together),
            padded=number(study.n_padded),
            least=number(study.layer_norm_K.max(), significant=2),
        )
    )


def _numbers(opened: Opened, found: AroundNorm, study: NormStudy) -> Columns:
    """Return a row for each position, and one for each feature of it before and after."""
    tokens = [token.text for token in opened.inspection.source_tokens]
    positions = list(range(len(tokens)))
    of_positions: Columns = {
        "position": positions,
        "token": tokens,
        "layer_norm": study.layer_norm_K.tolist(),
        "batch_norm": study.batch_norm_K.tolist(),
        "batch_norm_padded": study.batch_norm_padded_K.tolist(),
        "mean_before": found.before.mean_K.tolist(),
        "deviation_before": found.before.deviation_K.tolist(),
        "deviation_normalised": found.bare.deviation_K.tolist(),
        "deviation_after": found.after.deviation_K.tolist(),
    }
    at, feature = np.indices(found.before.vectors_KD.shape).reshape(2, -1).tolist()
    of_features: Columns = {
        "position": at,
        "token": [tokens[position] for position in at],
        "feature": feature,
        "before": found.before.vectors_KD.reshape(-1).tolist(),
        "after": found.after.vectors_KD.reshape(-1).tolist(),
    }
    return stacked(of_positions, of_features)


def _python(opened: Opened, site: Site, sentences: tuple[str, ...]) -> str:
    return stacks.python(
        opened,
        [
            "from core.analysis.lessons.masking import read_sources",
            "from core.analysis.lessons.normalisation import around_norm, study_norms",
            "from core.heads import Site",
        ],
        f'site = Site("encoder", {site.layer}, "{site.sublayer}")',
        "ids = translation.source_ids, translation.fed_ids",
        "found = around_norm(run.model, site, *ids)",
        f"rows, _cut = read_sources(run, {listed(sentences)})",
        "study = study_norms(run.model, site, rows[0], rows[1:])",
        "numbers = {",
        '    "layer_norm": study.layer_norm_K,',
        '    "batch_norm": study.batch_norm_K,',
        '    "batch_norm_padded": study.batch_norm_padded_K,',
        '    "mean_before": found.before.mean_K,',
        '    "deviation_before": found.before.deviation_K,',
        '    "deviation_normalised": found.bare.deviation_K,',
        '    "deviation_after": found.after.deviation_K,',
        '    "before": found.before.vectors_KD,',
        '    "after": found.after.vectors_KD,',
        "}",
    )
