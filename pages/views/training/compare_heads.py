"""The same head of several runs, each with the run's own tokens, and which heads know pronouns."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from core.decoding.sentence import SentenceError
from core.heads import Head, Kind
from core.runs.run import RunError
from core.studies.heads.compared import has_head
from core.studies.heads.findings import PronounHead, best_pronoun_head
from pages.frame import cached, components, opening
from pages.frame.language import _, percent_of_100, plain
from pages.frame.listed import listed
from pages.frame.maps import maps_of
from pages.frame.messages import explained
from pages.frame.notes import site_and_head
from pages.frame.selection import ask_kind, ask_layer_and_head, key_axis, query_axis
from pages.views.training.runs_table import Listed
from viz.charts.frames import runs_table, written
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices, Matrix


@dataclass(frozen=True, slots=True)
class SameHead:
    """A head as it is drawn of several runs."""

    runs: Sequence[Listed]
    """Those that have weights."""
    sentence: str
    head: Head
    picture: Drawn


def ask_and_draw(runs: Sequence[Listed]) -> SameHead | None:
    """Show what the same head of each run does with one sentence; None where there is nothing."""
    usable = [run for run in runs if not _problem(run)]
    if not usable:
        st.caption(_("None of them has weights yet whose heads could be compared."))
        return None
    try:
        found = _same_head(usable)
    except SentenceError:
        st.info(_("Type a sentence whose words the heads look at."))
    except RunError as error:
        # A training, or somebody else, changed it meanwhile.
        st.caption(plain(explained(error)))
    else:
        _show_pronoun_heads(usable)
        return found
    return None


def _same_head(runs: Sequence[Listed]) -> SameHead:
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
        kind = ask_kind(tuple(Kind), opening.default_kind(first))
    with st.container(horizontal=True, vertical_alignment="center"):
        default = _shared_head(runs, kind)
        layer, head = ask_layer_and_head(*_most(runs, kind), default)
        st.caption(_lacking(runs, kind, layer, head), width="stretch")
    chosen = Head(kind.site(layer), head)
    panels = [_panel(run, sentence, chosen) for run in runs]
    shown = Matrices(panels=[each for each in panels if each])
    return SameHead(runs, sentence, chosen, components.matrices(shown, key="compared_heads"))


def _problem(run: Listed) -> str:
    """Return why a run's heads cannot be looked at, or nothing."""
    try:
        cached.loaded(run.path)
    except RunError as error:
        return explained(error)
    return ""


def _sizes(run: Listed, kind: Kind) -> tuple[int, int]:
    """Return how many layers of a kind a run has, and how many heads in each."""
    model = cached.loaded(run.path).settings.model
    return model.layers_of(kind.stack), model.n_heads


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
    return plain(said.format(runs=listed(names)))


def _panel(run: Listed, sentence: str, head: Head) -> Matrix | None:
    """Return the weights of a run's head with the run's own tokens; None where it has no such.

    Raises:
        SentenceError: There is no text.
    """
    if not has_head(cached.loaded(run.path), head):
        return None
    inspection, kind = cached.inspected(run.path, sentence, whole_words=False), head.kind
    shown = maps_of(cached.loaded(run.path), inspection, head)
    return Matrix(
        title=run.name,
        values=np.ascontiguousarray(shown.weights[head.layer, head.index]),
        visible=np.ascontiguousarray(shown.visible),
        rows=query_axis(inspection, kind),
        columns=key_axis(inspection, kind),
        hidden_value="0",
        note=shown.translation,
        value_name=_("weight"),
    )


def _show_pronoun_heads(runs: Sequence[Listed]) -> None:
    """Show which head of each run finds best what pronouns stand for."""
    best = {run.name: cached.of_run(best_pronoun_head, run.path) for run in runs}
    rows = [_measured(name, head) for name, head in best.items() if head is not None]
    if not rows:
        return
    st.caption(_("The head of each run that finds best what pronouns stand for"))
    share = partial(percent_of_100, decimals=2)
    st.dataframe(
        written(runs_table(rows), {name: share for name in list(rows[0])[2:5]}),
        hide_index=True,
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
