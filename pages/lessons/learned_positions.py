"""The view of learned positions, beside the formula."""

from pathlib import Path

import numpy as np
import streamlit as st

from core.analysis import placing as core
from core.analysis.positions import Sinusoids, require_position
from core.model.positional import Embedding
from core.run import Run, read_settings
from pages.lessons import position_controls as asked
from pages.lessons.position_controls import short
from pages.shared import cached, lesson
from pages.shared.charts import chart
from pages.shared.lesson import Explanation
from pages.shared.matrices import matrices
from pages.shared.opening import Opened
from pages.shared.text import _, plain
from viz.curves import Quantity, Rule, curves
from viz.matrices import Matrices, Matrix, numbered


@asked.saying_why
def learned(opened: Opened) -> None:
    """Draw learned positions beside sinusoids of the same width."""
    path = _learned_run(opened)
    if path is None:
        st.info(_("No run here has learned its positions. Train one in about a minute:"))
        st.code(
            "python -m core train runs/learned --task copy --preset tiny --positions learned",
            language="bash",
        )
        return
    run = cached.loaded(path)
    with asked.row():
        wanted = asked.length()
        position = asked.number(_("Position"), "pe_learned_pos", 8)
    model = run.settings.model
    formula_PD = Sinusoids(model.d_model, wanted).table()[: model.max_positions]
    length = len(formula_PD)
    require_position(position, length)
    found = cached.of_run(core.learned, path, length)
    st.caption(_reached(found, run, path == opened.path))
    _tables(found, formula_PD, position, run)
    lesson.explained(
        Explanation(
            formula=r"x_p = \sqrt{d_{model}}\, e_{token} + P_p, \qquad "
            r"\cos(P_p, P_q) = \frac{P_p \cdot P_q}{\lVert P_p \rVert \lVert P_q \rVert}",
            tries=[
                _("Length 512: where training never reached, the rows are noise."),
                _("Position 5, then position 40: does either look like its neighbours?"),
            ],
            code=[Embedding, core.learned, core.cosines],
        )
    )


def _learned_run(opened: Opened) -> Path | None:
    """Return the chosen run where it learned its positions, or else the first that did."""
    candidates = [opened.path, *cached.run_paths().values()]
    usable = (path for path in candidates if not cached.complaint(path))
    return next((path for path in usable if read_settings(path).model.positions == "learned"), None)


def _tables(found: core.Learned, formula_PD: core.Array, position: int, run: Run) -> None:
    length, width = formula_PD.shape
    series = {
        _("learned"): core.cosines(found.table_PD, position).tolist(),
        _("sinusoids"): core.cosines(formula_PD, position).tolist(),
    }
    rows, columns = numbered(_("position"), length), numbered(_("dimension"), width)
    named = {
        _("Learned by {run}").format(run=run.name): found.table_PD,
        _("Sinusoids of the same width"): formula_PD,
    }
    left, middle, right = st.columns(3)
    for column, (title, table_PD) in zip((left, middle), named.items(), strict=True):
        panel = Matrix(
            title=title,
            values=table_PD.astype(np.float32),
            rows=rows,
            columns=columns,
            scale="signed",
            limit=float(np.abs(table_PD).max()),
            value_name=_("value"),
        )
        with column:
            matrices(Matrices(panels=[panel]), key=f"pe_learned_{title}")
    with right:
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


def _reached(found: core.Learned, run: Run, chosen: bool) -> str:
    said = []
    if not chosen:
        said.append(_("The chosen model has sinusoids; this is {run}.").format(run=plain(run.name)))
    if found.trained is None:
        mean = short(float(found.norms_P.mean()))
        said.append(_("Mean norm of a position's vector: {x}.").format(x=mean))
        return " ".join(said)
    said.append(
        _(
            "Training reached positions 0 to {last} of {n} (mean norm {x}); the others are as "
            "they began ({y}): a longer sentence meets noise."
        ).format(
            last=found.trained - 1,
            n=len(found.norms_P),
            x=short(found.mean_norm_trained),
            y=short(found.mean_norm_untouched),
        )
    )
    return " ".join(said)
