"""What LayerNorm does to one position, and what BatchNorm would do."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.batch import Ids
from core.describe import Description, describe
from core.heads import Site, Stack, Sublayer
from core.studies.lessons.layers import (
    AroundNorm,
    NormStudy,
    around_norm,
    batch_norm,
    study_norms,
)
from core.studies.lessons.masks import read_texts
from pages.frame import cached, controls, opening, session
from pages.frame.charts import chart
from pages.frame.files import stacked
from pages.frame.language import _, number
from pages.frame.opening import Opened
from pages.frame.snippets import listed
from pages.frame.view import Columns, Shown
from pages.views.layers import stacks
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity


def draw(opened: Opened) -> Shown:
    """Draw vectors before and after a LayerNorm, and what BatchNorm would do to them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sentences = opening.ask_batch(opened)
        site = _ask_site(describe(opened.run.model, 1, 1), opened.run.model.config.stacks[0])
    rows, cut = cached.of_run(read_texts, opened.path, sentences)
    found = cached.of_model(around_norm, opened.path, site, *_fed(opened, rows[0]))
    study = cached.of_model(study_norms, opened.path, site, rows[0], rows[1:])
    left, right = st.columns(2, gap="large")
    alone = len(rows) == 1
    with left:
        pictures = [chart(_spread(opened, found))]
        _say_ranges(found)
    with right:
        if not alone:
            pictures.append(chart(_compared(_tokens(opened, found), study)))
            _say_counts(study)
        if cut:
            st.caption(_("A sentence was cut: the model has no more positions."))
    return Shown(
        name="layer_norms",
        title=_("What LayerNorm does to each vector, and what BatchNorm would do"),
        seen=_seen(found, study, alone=alone),
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


def _fed(opened: Opened, first: Ids) -> tuple[Ids, Ids]:
    """Return what the model is given: a decoder alone no more than the others of its batch."""
    written = opened.inspection.translation
    return (written.source_ids, written.fed_ids) if written.source_ids else ((), first)


def _tokens(opened: Opened, found: AroundNorm) -> list[str]:
    """Return the tokens of the positions."""
    tokens = opened.inspection.source_tokens or opened.inspection.fed_tokens
    return [token.text for token in tokens[: len(found.before.vectors_KD)]]


def _seen(found: AroundNorm, study: NormStudy, *, alone: bool) -> str:
    """Say what a norm does to the vectors, and how far they move with other sentences."""
    spread = _(
        "The features of a vector spread by {before} (standard deviation) before LayerNorm, by "
        "**{bare}** after it."
    ).format(
        before=_range(found.before.deviation_K),
        bare=number(float(found.bare.deviation_K.mean()), padded=False),
    )
    if alone:
        text = _("{spread} The sentence is alone in its batch: add another to compare BatchNorm.")
    else:
        text = _(
            "{spread} Other sentences in the batch move them by **{layer}** under LayerNorm, by up "
            "to **{batch}** under BatchNorm."
        )
    return text.format(
        spread=spread,
        batch=number(study.batch_norm_K.max(), significant=2),
        layer=number(study.layer_norm_K.max(), significant=2),
    )


def _ask_site(described: Description, stack: Stack) -> Site:
    """Ask for a layer of the stack that reads, and for one of its sublayers."""
    layer = controls.number(_("layer"), described.stacks[stack], 0, session.LAYER)
    offered = {
        part.site.sublayer: _(part.label)
        for part in described.sublayers
        if part.site is not None and part.site.stack == stack and part.layer == layer
    }
    older: dict[str, Sublayer] = {"self-attention": "self", "feed-forward": "feed_forward"}
    first = next(iter(offered))
    chosen = controls.choice(_("Sublayer"), "sublayer", offered, first, older=older)
    return Site(stack, layer, chosen)


def _spread(opened: Opened, found: AroundNorm) -> Chart:
    """Return how far the features of each vector spread, before the norm and after it."""
    return bars(
        {
            _("before"): found.before.deviation_K.tolist(),
            _("after LayerNorm"): found.bare.deviation_K.tolist(),
        },
        _tokens(opened, found),
        value=Quantity(_("standard deviation over the features")),
        title=_("LayerNorm brings every vector to the same spread"),
        drawn="dots",
    )


def _say_ranges(found: AroundNorm) -> None:
    st.caption(
        _(
            "Each vector is centred (means before: {mean}), divided by its own standard deviation, "
            "then scaled and moved by gain and bias, which are learned."
        ).format(mean=_range(found.before.mean_K))
    )


def _range(values: NDArray[np.float64]) -> str:
    least, most = (number(each, padded=False) for each in (values.min(), values.max()))
    return least if least == most else _("{least} to {most}").format(least=least, most=most)


def _compared(tokens: list[str], study: NormStudy) -> Chart:
    """Return how far each position moves when other sentences stand beside it."""
    return bars(
        {
            "LayerNorm": study.layer_norm_K.tolist(),
            "BatchNorm": study.batch_norm_K.tolist(),
        },
        tokens,
        value=Quantity(_("mean change of a feature")),
        title=_("How far others in its batch move it"),
        drawn="dots",
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
    tokens = _tokens(opened, found)
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
    both = bool(opened.inspection.source_tokens)
    given = ("translation.source_ids", "translation.fed_ids") if both else ("()", "rows[0]")
    ids = ", ".join(given)
    return stacks.python(
        opened,
        [
            "from core.studies.lessons.masks import read_texts",
            "from core.studies.lessons.layers import around_norm, study_norms",
            "from core.heads import Site",
        ],
        f'site = Site("{site.stack}", {site.layer}, "{site.sublayer}")',
        f"rows, _cut = read_texts(run, {listed(sentences)})",
        f"ids = {ids}",
        "found = around_norm(run.model, site, *ids)",
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
