"""Several runs beside each other: curves, settings, results, and what their heads do."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.analysis.heads.findings import PronounHead, best_pronoun_head
from core.decoding.sentence import SentenceError
from core.heads import Kind
from core.runs.records import read_rows
from core.runs.run import RunError
from pages.frame import cached, charts, components, controls, opening, session
from pages.frame.maps import maps_of
from pages.frame.notes import site_and_head
from pages.frame.text import _, plain
from pages.views.runs.manage import settings_of
from pages.views.runs.table import Listed, results_columns, results_row, without_empty
from viz.charts.frames import DIFFERS, runs_table, settings_table, tinted
from viz.charts.measurements import Axes
from viz.charts.runs import compared
from viz.plane.matrices import Axis, Matrices, Matrix

MOST = 8
"""So many runs are compared at once."""
QUANTITIES = ("loss", "held_out_loss", "held_out_exact_match", "held_out_bleu")


def several(runs: Sequence[Listed]) -> None:
    """Show runs beside each other."""
    used = [run for run in runs if run.record is not None]
    if len(used) < len(runs):
        st.caption(_("Folders that cannot be used are left out."))
    _results(used)
    _curves(used)
    _settings(used)
    _heads(used)


def _results(runs: Sequence[Listed]) -> None:
    rows = [{_("run"): run.name, **results_row(run.record.results)} for run in runs if run.record]
    st.dataframe(
        runs_table(without_empty(rows)),
        hide_index=True,
        placeholder="",
        column_config=results_columns(),
        alt=_("Results on held-out samples"),
    )


def _curves(runs: Sequence[Listed]) -> None:
    """Draw what was measured in the trainings, on the same axes."""
    rows = {run.name: found for run in runs if (found := cached.of_files(read_rows, run.path))}
    measured = [name for name in QUANTITIES if any(name in row for r in rows.values() for row in r)]
    if not measured:
        st.caption(_("Nothing was measured yet."))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        quantities, scales = controls.words(("step", "seconds")), controls.words(("linear", "log"))
        along = controls.choice(_("Over"), session.OVER, quantities, "step", labelled=True)
        across = controls.choice(_("Its scale"), session.ACROSS, scales, "linear", labelled=True)
        losses = controls.choice(_("Scale of losses"), session.LOSSES, scales, "log", labelled=True)
    if along == "seconds":
        untimed = [name for name, each in rows.items() if not any("seconds" in r for r in each)]
        if untimed:
            said = _("Seconds were not written down in the training of {runs}.")
            st.caption(plain(said.format(runs=", ".join(untimed))))
    axes = Axes(
        log_x=across == "log",
        log_y=losses == "log",
        over="seconds" if along == "seconds" else "step",
    )
    title = _("Training of {n} runs").format(n=len(rows))
    charts.chart(compared(rows, measured, axes=axes, title=title))


def _settings(runs: Sequence[Listed]) -> None:
    """Show in which settings the runs differ."""
    settings = {run.name: settings_of(run.record) for run in runs if run.record}
    offered = controls.words(("differing", "all"))
    shown = controls.choice(_("Settings"), session.SETTINGS, offered, "differing", labelled=True)
    every = shown == "all"
    found = settings_table(settings, only_differing=not every)
    if found.empty:
        st.caption(_("All settings are the same."))
        return
    st.dataframe(
        tinted(found) if every else found,
        height="auto" if every else "content",
        column_config={DIFFERS: None, "_index": st.column_config.Column(width=210)},
        alt=_("Settings of the runs"),
    )


def _heads(runs: Sequence[Listed]) -> None:
    """Show what the same head of each run does with one sentence."""
    usable = [run for run in runs if not _problem(run)]
    if not usable:
        st.caption(_("None of them has weights yet whose heads could be compared."))
        return
    try:
        _same_head(usable)
    except SentenceError:
        st.info(_("Type a sentence whose words the heads look at."))
    except RunError as error:
        # A training, or somebody else, changed it meanwhile.
        st.caption(plain(str(error)))
    else:
        _pronoun_heads(usable)


def _same_head(runs: Sequence[Listed]) -> None:
    """Ask for a sentence and a head, and draw that head of each run.

    Raises:
        SentenceError: There is no text.
        RunError: A run is damaged.
    """
    first, task = cached.loaded(runs[0].path), cached.task(runs[0].path)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sentence = opening.ask_typed_sentence(
            task.examples[0].source if task and task.examples else ""
        )
        kind = controls.kind(tuple(Kind), opening.default_kind(first))
    with st.container(horizontal=True, vertical_alignment="center"):
        default = _shared_head(runs, kind)
        layer, head = controls.layer_and_head(*_most(runs, kind), default)
        st.caption(_lacking(runs, kind, layer, head), width="stretch")
    panels = [_panel(run, sentence, kind, layer, head) for run in runs]
    components.matrices(Matrices(panels=[each for each in panels if each]), key="compared_heads")


def _problem(run: Listed) -> str:
    """Return why a run's heads cannot be looked at, or nothing."""
    try:
        cached.loaded(run.path)
    except RunError as error:
        return str(error)
    return ""


def _sizes(run: Listed, kind: Kind) -> tuple[int, int]:
    """Return how many layers of a kind a run has, and how many heads in each."""
    model = cached.loaded(run.path).settings.model
    layers = {"encoder": model.n_encoder_layers, "decoder": model.n_decoder_layers}
    return layers[kind.stack], model.n_heads


def _most(runs: Sequence[Listed], kind: Kind) -> tuple[int, int]:
    sizes = [_sizes(run, kind) for run in runs]
    return max(layers for layers, _heads in sizes), max(heads for _layers, heads in sizes)


def _shared_head(runs: Sequence[Listed], kind: Kind) -> tuple[int, int]:
    """Return the layer and the head to open on: of the runs' best heads that which most have."""
    sizes = [_sizes(run, kind) for run in runs]
    best = [opening.default_head(cached.loaded(run.path), kind) for run in runs]

    def n_having(found: tuple[int, int]) -> int:
        return sum(found[0] < layers and found[1] < heads for layers, heads in sizes)

    # All runs have the first.
    return max([*best, (0, 0)], key=n_having)


def _lacking(runs: Sequence[Listed], kind: Kind, layer: int, head: int) -> str:
    """Say which runs do not have this head."""
    sizes = {run.name: _sizes(run, kind) for run in runs}
    names = [name for name, (n, n_heads) in sizes.items() if layer >= n or head >= n_heads]
    said = _("Not in {runs}: there are fewer layers or heads.") if names else ""
    return plain(said.format(runs=", ".join(names)))


def _panel(run: Listed, sentence: str, kind: Kind, layer: int, head: int) -> Matrix | None:
    """Return the weights of a run's head with the run's own tokens; None where it has no such.

    Raises:
        SentenceError: There is no text.
    """
    n_layers, n_heads = _sizes(run, kind)
    if layer >= n_layers or head >= n_heads:
        return None
    inspection = cached.inspected(run.path, sentence, whole_words=False)
    shown = maps_of(inspection, kind, (layer, head))
    fed = kind.query_side == "target"
    looks = _("query: the word fed") if fed else _("query: the word that looks")
    return Matrix(
        title=run.name,
        values=np.ascontiguousarray(shown.weights[layer, head]),
        visible=np.ascontiguousarray(shown.visible),
        rows=Axis(name=looks, labels=shown.queries, side=kind.query_side),
        columns=Axis(
            name=_("key: the word looked at"),
            labels=shown.keys,
            side=kind.key_side,
        ),
        hidden_value="0",
        note=inspection.translation.text,
        value_name=_("weight"),
    )


def _pronoun_heads(runs: Sequence[Listed]) -> None:
    """Show which head of each run finds best what pronouns stand for."""
    best = {run.name: cached.of_run(best_pronoun_head, run.path) for run in runs}
    rows = [_measured(name, head) for name, head in best.items() if head is not None]
    if not rows:
        return
    st.caption(_("The head of each run that finds best what pronouns stand for"))
    share = st.column_config.NumberColumn(format="%.2f %%")
    st.dataframe(
        runs_table(rows),
        hide_index=True,
        column_config={name: share for name in list(rows[0])[2:5]},
        alt=_("The best pronoun head of each run"),
    )


def _measured(name: str, head: PronounHead) -> dict[str, object]:
    return {
        _("run"): name,
        _("head"): site_and_head(head.head),
        _("on the antecedent"): 100 * head.score,
        _("best rule"): 100 * head.baseline,
        _("pronouns right without it"): 100 * head.silenced_accuracy,
        _("cases"): head.n,
    }
