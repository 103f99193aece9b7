"""The view "guided": the same task learned freely, and with one head told where to look."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from core.analysis.effects.counterparts import counterparts, guided_head, silenced_outcome
from core.analysis.effects.weight_shift import silenced_changes
from core.analysis.heads.findings import (
    best_pronoun_head,
    most_needed_pronoun_head,
    pronoun_heads,
    pronouns_among,
)
from core.heads import Head, Kind
from core.model import Silence
from core.runs.run import Run, RunError, RunSettings, read_settings
from core.training.loss import guided_loss
from pages.frame import address, cached, controls, lesson, notes, opening, session, visit
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import _, plain
from pages.views.heads import warnings
from pages.views.heads.guided_pictures import Measured, maps, table_columns, table_rows
from pages.views.heads.guided_words import Side, measured, said
from viz.charts.frames import runs_table

WHICH, TABLE = "guided", "guided_table"
SAME, BEST = "same head", "best head of each"
_FORMULA = r"""
L = L_{\text{cross-entropy}} + \lambda \cdot
\frac{1}{|P|} \sum_{p \in P} -\log \alpha_{p,\,\text{antecedent}(p)}
\qquad (P\text{: the pronouns; } \alpha\text{: the guided head's weights})
"""


def draw(opened: Opened) -> None:
    """Draw a head in either run, and what silencing it costs."""
    runs = _both(opened)
    if runs is None:
        return
    chosen = _ask(opened, runs)
    sides = [side for name, run in runs.items() if (side := _side(opened, name, run, chosen))]
    if not sides:
        return
    pronouns = pronouns_among(opened.task, opened.inspection.source_words)
    st.markdown("  \n".join(said(side) for side in sides))
    matrices(
        maps([(side.name, side.inspection, side.head) for side in sides], pronouns),
        key="guided_maps",
    )
    warnings.draw((plain(side.name), _doubts(side)) for side in sides)
    if rows := [row for name, run in runs.items() for row in _rows(name, run, chosen)]:
        _draw_table(rows, chosen)
        st.caption(measured(rows))
    if not pronouns:
        st.caption(_("This sentence has no pronoun that could be ambiguous."))
    if rows:
        lesson.numbers("guided", table_columns(rows))
    _explain()


def _both(opened: Opened) -> dict[str, Run] | None:
    """Return the free and the guided run; where there are no two, say so and return nothing."""
    paths = cached.run_paths()
    settings = _settings(paths)
    own = next(name for name, path in paths.items() if path == opened.path)
    mine = opened.run.settings
    others = counterparts(mine, settings)
    if not others:
        having = [name for name, each in settings.items() if counterparts(each, settings)]
        text = _(
            "{own} has no counterpart: a run of the same task and sizes of which one head was "
            "guided, or of which none was."
        )
        which = _("These runs have one: {names}.").format(names=", ".join(map(plain, having)))
        st.info(f"{text.format(own=plain(own))} {which}" if having else text.format(own=plain(own)))
        return None
    free, guided = (others[0], own) if mine.training.guide else (own, others[0])
    found = {}
    for name in (free, guided):
        try:
            found[name] = cached.loaded(paths[name])
        except RunError as error:
            st.error(plain(str(error)))
    return found


def _settings(paths: dict[str, Path]) -> dict[str, RunSettings]:
    found = {}
    for name, path in paths.items():
        try:
            found[name] = cached.of_files(read_settings, path)
        except RunError:
            continue
    return found


def _ask(opened: Opened, runs: dict[str, Run]) -> Head | None:
    """Ask for a head; None where each run's best is wanted."""
    inspection = opened.inspection
    kinds = list(dict.fromkeys(site.attention for site in inspection.attention))
    guided = next((head for run in runs.values() if (head := guided_head(run))), None)
    with st.container(horizontal=True, vertical_alignment="center"):
        which = controls.choice(_("Which heads"), WHICH, controls.words([SAME, BEST]), SAME)
        kind = controls.kind(
            kinds,
            guided.kind if guided else opening.default_kind(opened.run),
            then=partial(_open_other_kind, opened.run, guided),
            disabled=which == BEST,
        )
        layer, number = controls.layer_and_head(
            len(inspection.sites_of(kind)),
            opened.run.settings.model.n_heads,
            _default(opened.run, guided, kind),
            disabled=which == BEST,
        )
    return Head(kind.site(layer), number) if which == SAME else None


def _default(run: Run, guided: Head | None, kind: Kind) -> tuple[int, int]:
    """Return layer and head of a kind: of the guided one, or of the best where none was guided."""
    if guided and guided.kind is kind:
        return guided.layer, guided.index
    return opening.default_head(run, kind)


def _open_other_kind(run: Run, guided: Head | None) -> None:
    layer, head = _default(run, guided, opening.chosen_kind(run))
    address.choose({session.LAYER: layer, session.HEAD: head})


def _side(opened: Opened, name: str, run: Run, chosen: Head | None) -> Side | None:
    """Return what is shown of a run; where it cannot be, say why and return nothing."""
    if chosen is None:
        best = best_pronoun_head(run)
        if best is None:
            st.info(f"{plain(name)}: {notes.no_evaluation()}")
            return None
        chosen = best.head
    inspection = cached.inspected(run.path, opened.sentence, whole_words=False)
    found = cached.of_run(silenced_outcome, run.path, opened.sentence, chosen)
    changes = cached.of_run(silenced_changes, run.path, opened.sentence, chosen)
    return Side(name, run, inspection, chosen, found, changes)


def _doubts(side: Side) -> list[str]:
    # What silencing it changes stands above the maps.
    return notes.about_map(side.run, side.inspection, side.head, silenced=False)


def _rows(name: str, run: Run, chosen: Head | None) -> list[Measured]:
    """Return the chosen head, the one that finds antecedents best, and the one needed most."""
    found = {each.head: each for each in pronoun_heads(run)}
    why: dict[Head, list[str]] = {}
    if chosen is not None and chosen in found:
        why[chosen] = [_("shown")]
    for best, reason in (
        (best_pronoun_head(run), _("best")),
        (most_needed_pronoun_head(run), _("needed most")),
    ):
        if best is not None:
            why.setdefault(best.head, []).append(reason)
    effects = notes.stored(run)
    return [
        Measured(name, found[head], None if effects is None else effects.of(head), reasons)
        for head, reasons in why.items()
    ]


def _draw_table(rows: Sequence[Measured], chosen: Head | None) -> None:
    heads = [row.head.head for row in rows]
    visit.prepare_rows(TABLE, [row for row, head in enumerate(heads) if head == chosen][:1])
    st.dataframe(
        runs_table(table_rows(rows)),
        key=TABLE,
        on_select=partial(visit.report_rows, TABLE, partial(_take_row, heads)),
        selection_mode="single-row",
        hide_index=True,
        alt=_("What was measured of the heads"),
    )


def _take_row(heads: Sequence[Head], rows: list[int]) -> None:
    """Show the head whose row was ticked in both runs."""
    for row in rows[:1]:
        address.choose(
            {
                WHICH: SAME,
                session.KIND: str(heads[row].kind),
                session.LAYER: heads[row].layer,
                session.HEAD: heads[row].index,
            }
        )


def _explain() -> None:
    lesson.explained(
        Explanation(
            formula=_FORMULA,
            tries=(
                _(
                    "“tired” and “wide”: the guided head moves with the meaning of the sentence. "
                    "What does the same head of the free run look at, and is it needed?"
                ),
                _(
                    "“best head of each”: both runs write all pronouns right. Only in the guided "
                    "one the head that looks at the antecedent is also needed."
                ),
                _("Click the row of the head that the free run needs most: what is it here?"),
            ),
            code=(guided_loss, silenced_outcome, silenced_changes, Silence, best_pronoun_head),
        )
    )
