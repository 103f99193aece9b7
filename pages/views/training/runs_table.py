"""The runs that a visitor has, and the table of all their figures, in which they are ticked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import streamlit as st

from core.runs.metrics import BLEU_NAMES, Results, RunRecord, bleu_name, read_record
from core.runs.run import RunError
from core.training.process import Situation
from pages.frame import cached, controls, session
from pages.frame.cached import Folder
from pages.frame.language import _, number, percent_of_100
from pages.frame.messages import explained
from pages.views.training import progress
from viz.charts.frames import runs_table, written

ROWS_SHOWN = 20
"""A table with more rows scrolls."""
_ROW = 35
"""Height of a row in pixels."""


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

    @property
    def exact_match(self) -> float | None:
        """The share of held-out samples that its model writes without a mistake, if measured."""
        results = self.record.results if self.record else None
        return results.exact_match if results else None


def listed() -> dict[str, Listed]:
    """Return all runs by the name under which they are offered, the visitor's own first."""
    runs = [_listed(name, path) for name, path in cached.run_paths().items()]
    return {each.name: each for each in sorted(runs, key=lambda each: not each.own)}


def _listed(name: str, path: Path) -> Listed:
    try:
        record, found = cached.read(read_record, Folder(path)), cached.situation(path)
    except (RunError, OSError) as error:
        return Listed(name, path, problem=reason(error, path))
    return Listed(name, path, record=record, situation=found)


def reason(error: Exception, path: Path) -> str:
    """Return what is wrong with a run, without the folder that it is in."""
    return explained(error).removeprefix(f"{explained(str(path))}: ")


def named(runs: Iterable[Listed]) -> tuple[tuple[str, Folder], ...]:
    """Return names and folders of runs, for a recipe."""
    return tuple((run.name, Folder(run.path)) for run in runs)


def draw(runs: Mapping[str, Listed], ticked: Sequence[str]) -> None:
    """Show all runs with their settings and figures; those that are ticked are shown below."""
    controls.table(
        "runs_table",
        written(runs_table(_without_empty([_row(run) for run in runs.values()])), _writers()),
        list(runs),
        ticked,
        lambda names: session.choose({session.RUNS: list(names) or None}),
        selection_mode="multi-row",
        row_height=_ROW,
        height=_ROW * (1 + min(len(runs), ROWS_SHOWN)) + 2,
        column_config={
            _("run"): st.column_config.TextColumn(pinned=True, width=200),
            _("when"): st.column_config.DatetimeColumn(
                format="D MMM\u00a0HH:mm", timezone=st.context.timezone
            ),
        },
        alt=_("All runs, with their settings and results"),
    )


def _without_empty(rows: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """Leave out the columns that are empty in all rows."""
    filled = {name for row in rows for name, value in row.items() if value not in (None, "")}
    return [{name: value for name, value in row.items() if name in filled} for row in rows]


def _writers() -> dict[str, Callable[[float], str]]:
    """Return what writes the figures, and the minutes beside them."""
    return {
        _("exact match"): partial(percent_of_100, decimals=2),
        **{_(name): partial(number, digits=1) for name in BLEU_NAMES},
        _("BLEU on its pairs"): partial(number, digits=1),
        _("held-out loss"): partial(number, padded=False),
        _("minutes"): partial(number, digits=4),
    }


def _row(run: Listed) -> dict[str, object]:
    if run.record is None or run.situation is None:
        return {_("run"): run.name, _("state"): _("damaged")}
    settings, record, model = run.record.settings, run.record, run.record.settings.model
    layers = f"{model.n_encoder_layers}+{model.n_decoder_layers}"
    return {
        _("run"): run.name,
        _("task"): settings.family or settings.task,
        **_figures(record.results),
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


def _figures(results: Results | None) -> dict[str, float | None]:
    """Return a run's figures on held-out samples, by the names of their columns."""
    if results is None:
        return {}
    share, bleu = results.exact_match, bleu_name(results.bleu_tokens)
    return {
        _("exact match"): None if share is None else 100 * share,
        _(bleu): results.bleu,
        _("BLEU on its pairs"): results.own_pairs.bleu if results.own_pairs else None,
        _("held-out loss"): results.loss,
    }
