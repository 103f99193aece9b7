"""One real output of a parallel decoder that mixes two right targets."""

from pathlib import Path

import streamlit as st

from core.runs.run import RunError
from core.studies.experiments.mixed import MixedOutput, mixed_output
from core.tasks import SEVERAL_RIGHT
from pages.frame import cached
from pages.frame.language import _, n_, number
from pages.views.experiments.question import Asked
from viz.charts.mixed_rows import MixedRow, mixed_rows


def show(asked: Asked) -> None:
    """Show both right targets of a row, and what a shipped model writes of it, where it mixes."""
    if (path := _run(asked)) is None or (found := cached.call(mixed_output, path)) is None:
        return
    title = _("A real output of the model “{run}” (one training) mixes the two right answers")
    st.markdown(f"**{title.format(run=path.name)}**")
    st.html(mixed_rows(_rows(found), _letters(found.right[0]), _letters(found.right[1])))


def _run(asked: Asked) -> Path | None:
    """Return the run of the first variant that writes in parallel where two targets are right."""
    runs = cached.run_paths()
    for each in asked.trained:
        path = runs.get(each.shipped)
        if path is None or asked.experiment.task_of(each) not in SEVERAL_RIGHT:
            continue
        try:
            if cached.settings(path).model.is_parallel:
                return path
        except RunError:
            continue
    return None


def _rows(found: MixedOutput) -> list[MixedRow]:
    one, other = map(_letters, found.right)
    rows = [
        MixedRow(name=_("right: copied"), words=one),
        MixedRow(name=_("right: reversed"), words=other),
    ]
    for n_passes, text in found.written:
        said = n_("written in {n} pass", "written in {n} passes", n_passes)
        right = text in found.right
        said = said.format(n=number(n_passes))
        verdict = _("right: one of the two") if right else _("wrong: a mixture")
        rows.append(MixedRow(name=said, words=_letters(text), verdict=verdict))
    return rows


def _letters(text: str) -> tuple[str, ...]:
    return tuple(text.split())
