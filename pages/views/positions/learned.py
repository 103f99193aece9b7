"""Positions that were learned like all other weights, beside the formula."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import streamlit as st

from core.config import ConfigError
from core.model.positional import Embedding
from core.runs.run import Run, RunError
from core.studies.lessons import positions
from core.studies.lessons.positions import Sinusoids, require_length, require_position
from pages.frame import cached, snippets
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.controls import amount
from pages.frame.files import stacked
from pages.frame.language import N_, _, n_, number, plain
from pages.frame.listed import joined
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown, saying_why
from pages.views.positions import controls
from pages.views.positions.controls import short
from viz.charts.curves import Chart, Quantity, Rule, curves
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices, Matrix, numbered

FIRST_POSITION = 8
"""To begin with; few tables end before it."""
_BEYOND = 3
"""So many positions are shown that training never reached."""
LEARNED, SINUSOIDS = "learned", "sinusoids"
WHY_NOT = {
    "sinusoidal": N_("the chosen model has sinusoids, which training does not change."),
    "halves": N_("the chosen model has sinusoids, which training does not change."),
    "learned": N_("how the positions of the chosen model were before training is not known."),
    "buckets": N_("the chosen model has learned numbers for distances, not vectors of positions."),
    "rotary": N_("the chosen model turns queries and keys, and has no vectors of positions."),
    "none": N_("the chosen model has no positions."),
}
"""Positions of a model → why another one is shown."""
Tables = Mapping[str, positions.Array]
"""LEARNED, and SINUSOIDS where there are any of that width → table_PD."""


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown | None:
    """Draw learned positions beside sinusoids of the same width."""
    run = _learned_run(opened)
    if run is None:
        st.info(_("No run here has learned its positions. Train one in about a minute:"))
        st.code(
            "python -m core train runs/learned --task copy --preset tiny --positions learned",
            language="bash",
        )
        return None
    model = run.settings.model
    with controls.row():
        wanted = controls.length(_telling_length(run))
        usual = min(FIRST_POSITION, model.max_positions - 1)
        position = amount(_("Position"), "pe_learned_pos", usual)
    require_length(wanted)
    length = min(wanted, model.max_positions)
    require_position(position, length)
    found = cached.of_run(positions.learned, run.path, length)
    st.caption(joined(_said(found, wanted)))
    tables = {LEARNED: found.table_PD, **_sinusoids(model.d_model, length)}
    cosines = {
        name: positions.cosines(table_PD, position).tolist() for name, table_PD in tables.items()
    }
    titles = {LEARNED: _title(run, found), SINUSOIDS: _("Sinusoids of the same width")}
    pictures = _pictures(tables, titles, _curves(cosines, position, found.trained))
    return Shown(
        name="learned",
        title=_("Learned by {run}").format(run=run.name),
        numbers=lambda: _numbers(tables, cosines),
        other_model=""
        if run.path == opened.path
        else _("**{run}** is shown: {why}").format(
            run=plain(run.name), why=_(WHY_NOT[opened.run.settings.model.positions])
        ),
        seen=_seen(cosines, position, run.name, found.trained),
        python=_python(run, length, position, has_formula=SINUSOIDS in tables),
        code=[Embedding, positions.learned, positions.cosines],
        pictures=pictures,
        about={"model": run.name, "step": str(run.step)},
        formula=r"x_p = \sqrt{d_{model}}\, e_{token} + P_p, \qquad "
        r"\cos(P_p, P_q) = \frac{P_p \cdot P_q}{\lVert P_p \rVert \lVert P_q \rVert}",
        tries=[
            *(
                [_("A greater length: where training never reached, the rows are noise.")]
                if found.trained is not None
                else []
            ),
            _("Position 5, then position 40: does either look like its neighbours?"),
        ],
    )


def _telling_length(run: Run) -> int:
    """Return the length to begin with: a few more positions than training has reached."""
    most = min(controls.DEFAULT_LENGTH, run.settings.model.max_positions)
    found = cached.of_run(positions.learned, run.path, most)
    return min(most, (found.trained or most) + _BEYOND)


def _seen(
    cosines: Mapping[str, Sequence[float]], position: int, run: str, trained: int | None
) -> str:
    """Say which other position looks most like one, and of a neighbour that training made it so."""
    most = _most_alike(cosines[LEARNED], position)
    if most is None:
        return _("There is one position only.")
    text = _("Learned by **{run}**: position {p} looks most like position **{q}**, cosine **{x}**.")
    parts = {"run": plain(run), "p": number(position)}
    parts |= {"q": number(most), "x": number(cosines[LEARNED][most], 2)}
    reached = trained is None or max(most, position) < trained
    if abs(most - position) != 1 or not reached:
        return text.format(**parts)
    text = _(
        "Nobody told **{run}** which positions are neighbours, and yet training made {p} most like "
        "**{q}**: the cosine of their vectors is **{x}** (1: the same direction, 0: nothing in "
        "common)."
    )
    return text.format(**parts)


def _most_alike(cosines: Sequence[float], position: int) -> int | None:
    """Return the other position whose cosine is largest; None where there is no other."""
    others = [place for place in range(len(cosines)) if place != position]
    return max(others, key=lambda place: cosines[place], default=None)


def _learned_run(opened: Opened) -> Run | None:
    """Return the chosen run where it learned its positions, or else the first that did."""
    for path in (opened.path, *cached.run_paths().values()):
        try:
            settings = cached.settings(path)
            # How an opened model began is not known, with which what it learned is compared.
            if settings.model.positions == "learned" and not settings.is_opened:
                return cached.loaded(path)
        except RunError:
            continue
    return None


def _sinusoids(d_model: int, length: int) -> Tables:
    """Return sinusoids of a width; where there are none, say why and return nothing."""
    try:
        return {SINUSOIDS: Sinusoids(d_model, length).encodings()}
    except ConfigError as error:
        st.caption(_("Without sinusoids beside them. {why}").format(why=plain(explained(error))))
        return {}


def _title(run: Run, found: positions.Learned) -> str:
    """Return whose positions they are, and from which row on nothing was learned."""
    shown, trained = len(found.norms_P), found.trained
    if found.mean_norm_trained is None or trained is None or trained >= shown:
        return _("Learned by {run}").format(run=run.name)
    text = _("Learned by {run}; from row {row} on never trained")
    return text.format(run=run.name, row=number(trained))


def _pictures(tables: Tables, titles: Mapping[str, str], curves: Chart) -> list[Drawn]:
    """Draw the tables side by side, and what looks like one position beside them."""
    # The curve says it at once; the tables show of what.
    first, *places = st.columns(len(tables) + 1)
    pictures = []
    # One colour is one number in both.
    limit = max(float(np.abs(table_PD).max()) for table_PD in tables.values())
    for place, (name, table_PD) in zip(places, tables.items(), strict=True):
        with place:
            shown = Matrices(panels=[_map(table_PD, titles[name], limit)])
            pictures.append(matrices(shown, key=f"pe_learned_{name}"))
    with first:
        pictures.append(chart(curves))
    return pictures


def _map(table_PD: positions.Array, title: str, limit: float) -> Matrix:
    length, width = table_PD.shape
    return Matrix(
        title=title,
        values=table_PD.astype(np.float32),
        rows=numbered(_("position"), length),
        columns=numbered(_("dimension"), width),
        scale="signed",
        limit=limit,
        value_name=_("value"),
    )


def _curves(cosines: Mapping[str, list[float]], position: int, trained: int | None) -> Chart:
    shown = max(map(len, cosines.values()))
    ends = []
    if trained is not None and trained < shown:
        ends = [Rule(trained, _("never trained"))]
    labels = {LEARNED: _("learned"), SINUSOIDS: _("sinusoids")}
    return curves(
        {labels[name]: values for name, values in cosines.items()},
        x=Quantity(_("position")),
        y=Quantity(_("cosine with position {p}").format(p=number(position))),
        title=_("What looks like position {p}").format(p=number(position)),
        rules=[Rule(position, _("itself")), *ends],
    )


def _said(found: positions.Learned, wanted: int) -> Iterator[str]:
    """Say how far the table goes, and how far training reached."""
    n = len(found.norms_P)
    if wanted > n:
        yield n_(
            "This model has {n} position; its table ends there.",
            "This model has {n} positions; its table ends there.",
            n,
        ).format(n=number(n))
    yield _reached(found, n)


def _reached(found: positions.Learned, n: int) -> str:
    if found.mean_norm_trained is None:
        return _(
            "No position has changed since training began: all {n} are random, {x} long on average."
        ).format(n=number(n), x=short(found.mean_norm_untouched))
    if found.trained is None:
        mean = short(found.mean_norm_trained)
        return _("A position’s vector is {x} long on average.").format(x=mean)
    return _(
        "Training reached positions 0 to {last} of {n}. The vectors of the others are as they "
        "began: random and small (mean norm {y} instead of {x})."
    ).format(
        last=number(found.trained - 1),
        n=number(n),
        x=short(found.mean_norm_trained),
        y=short(found.mean_norm_untouched),
    )


def _numbers(tables: Tables, cosines: Mapping[str, list[float]]) -> Columns:
    """Return the tables cell by cell, then what looks like the position."""
    parts: list[Columns] = []
    for name, table_PD in tables.items():
        positions, dimensions = np.indices(table_PD.shape).reshape(2, -1).tolist()
        parts.append(
            {
                "positions": [name] * table_PD.size,
                "position": positions,
                "dimension": dimensions,
                "value": table_PD.reshape(-1).tolist(),
            }
        )
    for name, values in cosines.items():
        place: Columns = {"positions": [name] * len(values), "position": range(len(values))}
        parts.append({**place, "cosine": values})
    return stacked(*parts)


def _python(run: Run, length: int, position: int, *, has_formula: bool) -> str:
    begun = snippets.loading(
        run.path,
        "from core.studies.lessons.positions import cosines, learned",
        *(["from core.studies.lessons.positions import Sinusoids"] if has_formula else []),
    )
    formula = f", Sinusoids({run.settings.model.d_model}, {length}).encodings()"
    return begun + "\n".join(
        [
            f"tables = [learned(run, {length}).table_PD{formula if has_formula else ''}]",
            f"numbers = [*tables, *(cosines(table_PD, {position}) for table_PD in tables)]",
            "",
        ]
    )
