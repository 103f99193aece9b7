"""The same task learned freely, and with one head told where to look."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from core.analysis.effects.counterparts import guided_head, silenced_outcome
from core.analysis.effects.weight_shift import silenced_changes
from core.analysis.heads.findings import best_pronoun_head, pronouns_among
from core.heads import Head, Kind
from core.model import Silence
from core.runs.run import Run
from core.training.loss import guided_loss
from pages.frame import address, controls, notes, opening, session, tables
from pages.frame.components import matrices
from pages.frame.language import N_, _, plain
from pages.frame.listed import labelled
from pages.frame.opening import Opened
from pages.frame.selection import ask_kind, ask_layer_and_head, key_axis, query_axis, query_tokens
from pages.frame.snippets import folder, quoted
from pages.frame.view import Columns, Shown
from pages.views.heads import guided_runs, guided_table, named_heads
from pages.views.heads.guided_runs import Side, side_of
from pages.views.heads.guided_table import Measured
from viz.charts.frames import runs_table
from viz.plane.matrices import Matrices, Matrix

WHICH, TABLE = "which_heads", "guided_table"
SAME, BEST = "same", "best"
IMPORTS = (
    "from pathlib import Path",
    "",
    "from core.analysis.effects.weight_shift import silenced_changes",
    "from core.analysis.heads.findings import pronoun_heads",
    "from core.heads import Head",
    "from core.inspection import inspect_sentence",
    "from core.runs.run import load_run",
)
"""Of the Python that computes the numbers again."""
_FORMULA = r"""
L = L_{\text{cross-entropy}} + \lambda \cdot
\frac{1}{|P|} \sum_{p \in P} -\log \alpha_{p,\,\text{antecedent}(p)}
\qquad (P\text{: the pronouns; } \alpha\text{: the guided head's weights})
"""
TRIES = (
    N_(
        "“tired” and “wide”: the guided head moves with the meaning of the sentence. "
        "What does the same head of the free run look at, and is it needed?"
    ),
    N_(
        "“best head of each”: both runs write all pronouns right. Only in the guided "
        "one the head that looks at the antecedent is also needed."
    ),
    N_("Click the row of the head that the free run needs most: what is it here?"),
)


def draw(opened: Opened) -> Shown | None:
    """Draw a head in either run, and what silencing it costs."""
    pair = guided_runs.both(opened)
    if pair is None:
        return None
    opened, runs = pair.opened, pair.runs
    chosen = _ask(pair)
    sides = [side for name, run in runs.items() if (side := side_of(opened, name, run, chosen))]
    if not sides:
        return None
    pronouns = pronouns_among(opened.task, opened.inspection.source_words)
    maps = [_map(side, pronouns) for side in sides]
    left, right = st.columns([7, 3], gap="medium")
    with left:
        picture = matrices(Matrices(panels=maps, selected=_decisive(maps)), key="guided_maps")
    with right:
        for side in sides:
            st.markdown(guided_runs.said(side), unsafe_allow_html=True)
            st.caption(guided_runs.costs(side))
    # What silencing a head changes has just been said.
    named_heads.warn(
        (plain(side.name), notes.about_map(side.run, side.inspection, side.head, silenced=False))
        for side in sides
    )
    rows = [row for name, run in runs.items() for row in guided_table.measured(name, run, chosen)]
    if rows:
        _draw_table(rows, chosen)
        st.caption(guided_table.what_is_measured(rows))
    if not pronouns:
        st.caption(_("This sentence has no pronoun that could be ambiguous."))
    return Shown(
        name="guided",
        title=_("The same task learned freely, and with one head told where to look"),
        numbers=lambda: numbers(sides, rows),
        python=_python(opened, sides, rows),
        other_model=pair.said,
        seen="  \n".join(
            filter(None, (guided_runs.looks(sides, pronouns), guided_runs.seen(sides)))
        ),
        instead=guided_runs.instead_of(opened, sides),
        code=(guided_loss, silenced_outcome, silenced_changes, Silence, best_pronoun_head),
        pictures=[picture],
        about={"second_model": ", ".join(name for name in runs if name != opened.path.name)},
        formula=_FORMULA,
        tries=[_(each) for each in TRIES],
    )


def _ask(pair: guided_runs.Pair) -> Head | None:
    """Ask for a head; None where each run's best is wanted."""
    opened, runs, inspection = pair.opened, pair.runs, pair.opened.inspection
    kinds = list(dict.fromkeys(site.attention for site in inspection.attention))
    guided = next((head for run in runs.values() if (head := guided_head(run))), None)
    older = {"same head": SAME, "best head of each": BEST}
    # The training page has a choice that is called so, too.
    address.renamed("guided", WHICH, older)
    offered = {SAME: _("same head"), BEST: _("best head of each")}
    with st.container(horizontal=True, vertical_alignment="center"):
        which = controls.choice(_("Which heads"), WHICH, offered, SAME, older=older)
        kind = ask_kind(
            kinds,
            guided.kind if guided else opening.default_kind(opened.run),
            then=opening.open_other_kind,
            disabled=which == BEST,
        )
        layer, index = ask_layer_and_head(
            len(inspection.sites_of(kind)),
            opened.run.settings.model.n_heads,
            _default(opened.run, guided, kind),
            disabled=which == BEST,
        )
        guided_runs.offer(pair)
    return Head(kind.site(layer), index) if which == SAME else None


def _default(run: Run, guided: Head | None, kind: Kind) -> tuple[int, int]:
    """Return layer and head of a kind: of the guided one, or of the best where none was guided."""
    if guided and guided.kind is kind:
        return guided.layer, guided.index
    return opening.default_head(run, kind)


def _map(side: Side, pronouns: Sequence[str]) -> Matrix:
    """Return the map of a run's head, the pronouns' rows underlined."""
    inspection, kind = side.inspection, side.head.kind
    tokens = query_tokens(inspection, kind)
    underlined = [at for at, token in enumerate(tokens) if token.text.lower() in pronouns]
    return Matrix(
        title=labelled(side.name, notes.site_and_head(side.head)),
        values=inspection.weights_of(side.head),
        visible=inspection.attention[side.head.site].visible_QK,
        rows=replace(query_axis(inspection, kind), differs=underlined),
        columns=key_axis(inspection, kind),
        value_name=_("weight"),
    )


def _decisive(maps: Sequence[Matrix]) -> tuple[int, int, int] | None:
    """Return panel, row and column of the largest weight of a pronoun; None without a pronoun."""
    cells = [(at, row) for at, panel in enumerate(maps) for row in panel.rows.differs]
    if not cells:
        return None
    at, row = max(cells, key=lambda cell: maps[cell[0]].values[cell[1]].max())
    return at, row, int(maps[at].values[row].argmax())


def numbers(sides: Sequence[Side], rows: Sequence[Measured]) -> Columns:
    """Return the weights of both maps, the steps that change, and what was measured."""
    found: list[Mapping[str, object]] = []
    for side in sides:
        of = {"run": side.name, "head": str(side.head)}
        for (row, key), weight in np.ndenumerate(side.inspection.weights_of(side.head)):
            at = {"what": "weight", "row": row, "key": key, "weight": float(weight)}
            found.append(of | at)
        for each in side.changes:
            step = {"what": "probability", "step": each.step, "token": each.token.text}
            found.append(of | step | {"before": each.before, "after": each.after})
    found += guided_table.numbers(rows)
    names = dict.fromkeys(name for row in found for name in row)
    return {name: [row.get(name) for row in found] for name in names}


def _python(opened: Opened, sides: Sequence[Side], rows: Sequence[Measured]) -> str:
    runs = ", ".join(f"{quoted(each.name)}: {folder(each.run.path)}" for each in sides)
    heads = ", ".join(f"{quoted(each.name)}: {quoted(str(each.head))}" for each in sides)
    lines = [
        f"sentence = {quoted(opened.sentence)}",
        f"runs = {{name: load_run(path) for name, path in {{{runs}}}.items()}}",
        f"heads = {{{heads}}}",
        "weights, changes = [], []",
        "for name, run in runs.items():",
        "    head = Head.parse(heads[name])",
        "    weights_QK = inspect_sentence(run, sentence).weights_of(head)",
        "    weights += weights_QK.reshape(-1).tolist()",
        "    changes += silenced_changes(run, sentence, head)",
        *guided_table.scoring(rows),
        'numbers = {"weight": weights, "score": scores,',
        '           "before": [each.before for each in changes],',
        '           "after": [each.after for each in changes]}',
        "",
    ]
    return "\n".join([*IMPORTS, "", *lines])


def _draw_table(rows: Sequence[Measured], chosen: Head | None) -> None:
    heads = [row.head.head for row in rows]
    tables.show(
        TABLE,
        runs_table(guided_table.table(rows)),
        heads,
        [chosen] if chosen else [],
        _take,
        selection_mode="single-row",
        column_config=dict(guided_table.column_names()),
        alt=_("What was measured of the heads"),
    )


def _take(ticked: Sequence[Head]) -> None:
    """Show the head whose row was ticked in both runs."""
    for head in ticked:
        address.choose(
            {
                WHICH: SAME,
                session.KIND: str(head.kind),
                session.LAYER: head.layer,
                session.HEAD: head.index,
            }
        )
