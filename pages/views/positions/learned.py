"""The view of learned positions, beside the formula."""

from collections.abc import Iterator, Mapping

import numpy as np
import streamlit as st

from core.analysis.lessons import position_experiments
from core.analysis.lessons.positions import Sinusoids, require_length, require_position
from core.config import ConfigError
from core.model.positional import Embedding
from core.runs.run import Run, RunError, read_settings
from pages.frame import cached, lesson
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import _, plain
from pages.views.positions import controls
from pages.views.positions.controls import short
from viz.charts.curves import Quantity, Rule, curves
from viz.plane.matrices import Matrices, Matrix, numbered


@controls.saying_why
def learned(opened: Opened) -> None:
    """Draw learned positions beside sinusoids of the same width."""
    run = _learned_run(opened)
    if run is None:
        st.info(_("No run here has learned its positions. Train one in about a minute:"))
        st.code(
            "python -m core train runs/learned --task copy --preset tiny --positions learned",
            language="bash",
        )
        return
    model = run.settings.model
    with controls.row():
        wanted = controls.length()
        default = min(8, model.max_positions - 1)
        position = controls.number(_("Position"), "pe_learned_pos", default)
    require_length(wanted)
    length = min(wanted, model.max_positions)
    require_position(position, length)
    found = cached.of_run(position_experiments.learned, run.path, length)
    st.caption(" ".join(_said(found, run, run.path == opened.path, wanted)))
    vectors = {_("learned"): (_("Learned by {run}").format(run=run.name), found.table_PD)}
    formula_PD = _formula(model.d_model, length)
    if formula_PD is not None:
        vectors[_("sinusoids")] = (_("Sinusoids of the same width"), formula_PD)
    _tables(vectors, position)
    lesson.explained(
        Explanation(
            formula=r"x_p = \sqrt{d_{model}}\, e_{token} + P_p, \qquad "
            r"\cos(P_p, P_q) = \frac{P_p \cdot P_q}{\lVert P_p \rVert \lVert P_q \rVert}",
            tries=[
                _("Length 512: where training never reached, the rows are noise."),
                _("Position 5, then position 40: does either look like its neighbours?"),
            ],
            code=[Embedding, position_experiments.learned, position_experiments.cosines],
        )
    )


def _learned_run(opened: Opened) -> Run | None:
    """Return the chosen run where it learned its positions, or else the first that did."""
    for path in (opened.path, *cached.run_paths().values()):
        try:
            if read_settings(path).model.positions == "learned":
                return cached.loaded(path)
        except RunError:
            continue
    return None


def _formula(d_model: int, length: int) -> position_experiments.Array | None:
    """Return sinusoids of a width; where there are none, say why and return nothing."""
    try:
        return Sinusoids(d_model, length).table()
    except ConfigError as error:
        st.caption(_("Without sinusoids beside them. {why}").format(why=plain(str(error))))
        return None


def _tables(vectors: Mapping[str, tuple[str, position_experiments.Array]], position: int) -> None:
    """Draw tables of positions, by a short name with a title, and what looks like one position."""
    *places, last = st.columns(len(vectors) + 1)
    for place, (title, table_PD) in zip(places, vectors.values(), strict=True):
        length, width = table_PD.shape
        panel = Matrix(
            title=title,
            values=table_PD.astype(np.float32),
            rows=numbered(_("position"), length),
            columns=numbered(_("dimension"), width),
            scale="signed",
            limit=float(np.abs(table_PD).max()),
            value_name=_("value"),
        )
        with place:
            matrices(Matrices(panels=[panel]), key=f"pe_learned_{title}")
    series = {
        name: position_experiments.cosines(table_PD, position).tolist()
        for name, (_title, table_PD) in vectors.items()
    }
    with last:
        chart(
            curves(
                series,
                x=Quantity(_("position q")),
                y=Quantity(_("cosine with position {p}").format(p=position)),
                title=_("What looks like position {p}").format(p=position),
                rules=[Rule(position, _("itself"))],
            )
        )
        lesson.numbers("learned", {"q": range(length), **series})


def _said(
    found: position_experiments.Learned, run: Run, chosen: bool, wanted: int
) -> Iterator[str]:
    """Say which run this is, how far its table goes, and how far training reached."""
    n = len(found.norms_P)
    if not chosen:
        yield _("The chosen model has sinusoids; this is {run}.").format(run=plain(run.name))
    if wanted > n:
        yield _("This model has {n} positions; its table ends there.").format(n=n)
    yield _reached(found, n)


def _reached(found: position_experiments.Learned, n: int) -> str:
    if found.mean_norm_trained is None:
        return _(
            "No position has changed since training began: all {n} are noise (mean norm {x})."
        ).format(n=n, x=short(found.mean_norm_untouched))
    if found.trained is None:
        mean = short(found.mean_norm_trained)
        return _("Mean norm of a position's vector: {x}.").format(x=mean)
    return _(
        "Training reached positions 0 to {last} of {n} (mean norm {x}); the others are as "
        "they began ({y}): a longer sentence meets noise."
    ).format(
        last=found.trained - 1,
        n=n,
        x=short(found.mean_norm_trained),
        y=short(found.mean_norm_untouched),
    )
