"""The table of all runs, in which they are ticked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from core.runs.metrics import BLEU_NAMES, Results, RunRecord, bleu_name, read_record
from core.runs.run import RunError
from core.training.process import Situation
from pages.frame import cached, controls, measured_on, session
from pages.frame.cached import Folder
from pages.frame.language import _, noted, number, percent_of_100, plain
from pages.frame.language import listed as listed_texts
from pages.frame.messages import explained
from pages.views.training import progress
from viz.charts.frames import runs_table, written

ROWS_SHOWN = 20
"""A table with more rows scrolls."""
NAME = 27
"""A longer name is cut in its middle, because names differ at their ends."""
_ROW = 35
_SIGN = 6.8
_PADDING = 16


@dataclass(frozen=True, slots=True)
class Listed:
    """A folder of runs, as the table lists it."""

    name: str
    path: Path
    problem: str = ""
    """Why it cannot be used; empty for a run that can."""
    record: RunRecord | None = None
    situation: Situation | None = None

    @property
    def own(self) -> bool:
        """Whether the visitor may rename and delete it."""
        return self.path.parent != cached.GALLERY


def listed() -> dict[str, Listed]:
    """Return all runs by the name under which they are offered."""
    return {name: _listed(name, path) for name, path in cached.run_paths().items()}


def _listed(name: str, path: Path) -> Listed:
    try:
        record, found = cached.read(read_record, Folder(path)), cached.situation(path)
    except (RunError, OSError) as error:
        return Listed(name, path, problem=said(error, path))
    return Listed(name, path, record=record, situation=found)


def said(error: Exception, path: Path) -> str:
    """Return what is wrong with a run, without the folder that it is in."""
    return explained(error).removeprefix(f"{explained(str(path))}: ")


def named(runs: Iterable[Listed]) -> tuple[tuple[str, Folder], ...]:
    """Return names and folders of runs, for a recipe."""
    return tuple((run.name, Folder(run.path)) for run in runs)


def choose(runs: Mapping[str, Listed]) -> list[Listed]:
    """Show all runs, and return those that are ticked, in the order of the table."""
    names, shown = list(runs), shortened(list(runs))
    chosen = session.texts_of(session.RUNS) or ()
    session.show(session.RUNS, chosen or None)
    rows = [_row(run, short) for run, short in zip(runs.values(), shown, strict=True)]
    controls.table(
        "runs_table",
        written(
            runs_table(_without_empty(rows)),
            _writers(),
        ),
        names,
        chosen,
        _take,
        selection_mode="multi-row",
        row_height=_ROW,
        height=_ROW * (1 + min(len(runs), ROWS_SHOWN)) + 2,
        column_config=_columns(runs.values(), max(map(len, shown))),
        alt=_("All runs, with their settings and results"),
    )
    return [run for name, run in runs.items() if name in chosen]


def _take(ticked: Sequence[str]) -> None:
    """Take over the runs whose rows were ticked."""
    session.choose({session.RUNS: list(ticked) or None})


def shortened(names: Sequence[str]) -> list[str]:
    """Return names that a column has room for; whole ones where two would look the same.

    >>> shortened(["runs/translate-with-eight-heads-1", "copy"])
    ['runs/translat…eight-heads-1', 'copy']
    """
    half = (NAME - 1) // 2
    short = [n if len(n) <= NAME else f"{n[:half]}…{n[-half:]}" for n in names]
    return short if len(set(short)) == len(names) else list(names)


def _without_empty(rows: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """Leave out the columns that are empty in all rows."""
    kept = {name for row in rows for name, value in row.items() if value not in (None, "")}
    return [{name: value for name, value in row.items() if name in kept} for row in rows]


def _figures(found: Results | None) -> dict[str, float | None]:
    """Return a run's figures on held-out samples, by the names of their columns."""
    shown = bleu_name(found.bleu_tokens) if found else ""
    return {
        _("exact match"): _hundredfold(found.exact_match) if found else None,
        **{_(name): found.bleu if found and name == shown else None for name in BLEU_NAMES},
        _("BLEU on its pairs"): found.own_pairs.bleu if found and found.own_pairs else None,
        _("held-out loss"): found.loss if found else None,
    }


def _measured_on(record: RunRecord) -> str | None:
    """Return in a word what a run's figures were measured on, and on how many of it."""
    found = record.results
    if found is None or found.n is None:
        return None
    return f"{measured_on.kind(record.settings.task)} ({number(found.n)})"


def _writers() -> dict[str, Callable[[float], str]]:
    """Return what writes the figures, and the minutes beside them."""
    return {
        _("exact match"): partial(percent_of_100, decimals=2),
        **{_(name): partial(number, digits=1) for name in BLEU_NAMES},
        _("BLEU on its pairs"): partial(number, digits=1),
        _("held-out loss"): partial(number, padded=False),
        _("minutes"): partial(number, digits=4),
    }


def _row(run: Listed, name: str) -> dict[str, object]:
    if run.record is None or run.situation is None:
        return {_("run"): name, _("state"): _("damaged")}
    settings, record, model = run.record.settings, run.record, run.record.settings.model
    layers = f"{model.n_encoder_layers}+{model.n_decoder_layers}"
    return {
        _("run"): name,
        _("task"): settings.family or settings.task,
        # Before the rest: on a phone the first columns alone are seen.
        **_figures(record.results),
        _("measured on"): _measured_on(record),
        _("state"): _(progress.STATES[run.situation.state]),
        _("step"): run.situation.step,
        _("of"): run.situation.steps,
        _("model"): f"{layers} · {model.n_heads} · {model.d_model}",
        # The gallery's files are as old as the copy of the project.
        _("when"): datetime.fromtimestamp(record.changed, UTC) if run.own else None,
        _("parameters"): record.n_parameters,
        _("minutes"): None if record.seconds is None else record.seconds / 60,
        _("guided head"): settings.training.guide,
    }


def _columns(runs: Iterable[Listed], longest: int) -> dict[str, ColumnConfig | None]:
    """Return how the table is written; its columns fit into a window 900 pixels wide.

    The last ones are hidden until they are asked for in the table's own menu.

    Args:
        runs: All of them.
        longest: Signs of the longest name.
    """
    column, text = st.column_config.NumberColumn, st.column_config.TextColumn
    when = st.column_config.DatetimeColumn
    return {
        _("run"): text(pinned=True, width=round(_PADDING + _SIGN * min(longest, NAME))),
        _("task"): text(width=64),
        _("state"): text(width=66),
        _("step"): column(width=50, help=_("steps of training that are done")),
        _("exact match"): column(
            _("exact match"),
            width=80,
            help=_("exact match; beside own pairs, of the task’s sentences alone"),
        ),
        _("BLEU"): column(_("BLEU"), width=47, help=_("counts words (sacrebleu’s 13a)")),
        _("BLEU (characters)"): column(
            _("BLEU (characters)"),
            width=112,
            help=_(
                "counts characters (sacrebleu’s zh for Chinese, char for Japanese, Korean, Thai, "
                "Lao, Khmer and Burmese)"
            ),
        ),
        _("BLEU on its pairs"): column(
            _("BLEU on pairs"),
            width=52,
            help=_(
                "BLEU on held-out pairs that were learned beside the task; on how many: {runs}"
            ).format(runs=listed_texts(_on_pairs(runs))),
        ),
        _("held-out loss"): column(_("test loss"), width=68, help=_("held-out loss")),
        _("measured on"): text(
            width=112,
            help=_("held-out pairs measured; training itself measures on 200 at most"),
        ),
        _("when"): when(format="D MMM\u00a0HH:mm", width=88, timezone=st.context.timezone),
        **dict.fromkeys((_("of"), _("model"), _("parameters"), _("minutes"), _("guided head"))),
    }


def _on_pairs(runs: Iterable[Listed]) -> list[str]:
    """Return on how many held-out pairs each run was measured that learned some beside its task."""
    found = {run.name: run.record.results for run in runs if run.record}
    return [
        noted(plain(name), number(results.own_pairs.n))
        for name, results in found.items()
        if results and results.own_pairs
    ]


def _hundredfold(share: float | None) -> float | None:
    return None if share is None else 100 * share
