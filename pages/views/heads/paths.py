"""Which head reads what another head wrote: one direct path at a time is patched."""

from functools import partial

import numpy as np
import streamlit as st

from core.decoding.sentence import Translation
from core.runs.run import Run
from core.studies.effects.path_effects import direct_paths, log_probability_changes, path_effects
from core.studies.effects.path_outcomes import PathOutcomes, path_outcomes
from core.studies.effects.path_patching import PathError, PathPatching, Read
from core.studies.effects.path_study import (
    OnePath,
    one_path,
    path_probabilities,
    path_study,
)
from pages.frame import address, cached, charts, clicks, controls, links, session, snippets
from pages.frame.components import matrices
from pages.frame.folded import fold
from pages.frame.language import N_, _, capitalised, plain
from pages.frame.listed import ended
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.translations import say, written
from pages.frame.typography import marked, typeset
from pages.frame.view import Shown
from pages.views.heads import (
    cells,
    named_heads,
    paths_findings,
    paths_maps,
    paths_output,
    paths_rows,
    second_sentence,
)
from pages.views.heads.paths_maps import Paths
from viz.charts.bars import PICKED
from viz.component.standalone import Drawn

PATH, READS, BY = "path", "path_reads", "path_by"
"""In the URL: "encoder.0.self:1,encoder.2.self:0", what is read, what a line and a cell show."""
MOVED, LOG_P = "moved", "log_p"
LINKS, MAP, ROWS = "paths_links", "paths_map", ("paths_row", "paths_row_read")
MOST_MEASURED = 1000
"""With more paths, log p is measured of the chosen one alone: of all it would take too long."""
TELLING = "translate-guided"
"""The run in which one path alone is seen in what is written."""
_FORMULA = r"""
\tilde x = x + (\text{head}'_s - \text{head}_s)\, W^O_s, \qquad
\tilde q_r = \mathrm{norm}(\tilde x)\, W^Q_r \ \text{(or } \tilde k_r, \tilde v_r\text{)}, \qquad
\text{moved} = \max_i \tfrac{1}{2} \sum_j |\tilde\alpha_{ij} - \alpha_{ij}|
"""
_HOW_TO_READ = N_(
    "$s$ is the sender, $r$ the receiver, $'$ the second sentence. Every sublayer between them "
    "adds what it adds in the first sentence, so nothing but the direct path changes; norms are "
    "computed anew. For log p, all that comes after the receiver is computed anew too."
)
TRIES = (
    N_(
        "translate-guided, log p: which head tells the guided head where “it” should look? "
        "Silence that head, too."
    ),
    N_("Compare query and key: what makes a head look elsewhere, and what makes it be found?"),
    N_(
        "Read the value: no weight moves, and yet log p changes. A map does not show all that a "
        "head reads."
    ),
    N_("Add up the strongest paths: how much of the whole change of log p do they explain?"),
)


def draw(opened: Opened) -> Shown | None:
    """Draw what one direct path changes, and below it what all of them change."""
    with st.container(horizontal=True, vertical_alignment="center"):
        second = second_sentence.ask(opened)
        clearer = st.container(width="content")
    if not second_sentence.fits(opened, second):
        return None
    # What is asked about all paths stands beside their pictures, and decides which is drawn first.
    above = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("**Other paths: click one**"), width="content")
        read, by = _ask(opened)
    if (paths := _studied(opened, second, read, by)) is None:
        return None
    if not paths.study.effects.direct_NN.any():
        st.info(_("In this model no head reads what another wrote, so there is no path to change."))
        return None
    at = _chosen(opened, second, paths)
    ends = tuple(paths.study.effects.heads[each] for each in at)
    asked = opened.sentence, second, read, *ends
    found = cached.of_run(one_path, opened.path, *asked)
    outcomes = cached.of_run(path_outcomes, opened.path, *asked)
    if paths_output.is_weak(outcomes):
        with clearer:
            _offer_telling(opened)
    with above:
        pictures = _draw_one(opened, paths, found, outcomes, read)
    pictures += _draw_all(paths, at)
    fold(
        _("How it was measured"),
        "paths_measured",
        lambda: st.markdown(paths_findings.small_print(paths, found)),
        compact=True,
    )
    # Below all else: what the whole second sentence changes is not what a path changes.
    say(_sentences(paths, opened.run))
    return Shown(
        name=f"paths_{read}",
        title=_("Which head reads what another head wrote"),
        numbers=lambda: paths_maps.numbers(paths),
        python=_python(opened, second, read, by),
        seen=paths_findings.seen(paths, found, outcomes, read),
        code=(path_study, PathPatching, path_effects, path_outcomes, log_probability_changes),
        pictures=pictures,
        about={"second_sentence": second},
        formula=_FORMULA,
        how_to_read=_(_HOW_TO_READ),
        tries=[_(each) for each in TRIES],
    )


def _draw_one(
    opened: Opened, paths: Paths, found: OnePath, outcomes: PathOutcomes, read: Read
) -> list[Drawn]:
    """Draw where both ends of a path look, and what becomes of the output; return the pictures."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        # Values alone move no weight.
        drawn = [] if read == Read.VALUE else paths_rows.rows_along(paths, found)
        pictures = [matrices(rows, key=ROWS[number]) for number, rows in enumerate(drawn)]
        with st.container(horizontal=True):
            for head in (found.sender, found.receiver):
                named_heads.link_to_map(opened, head)
    with right:
        pictures.append(charts.chart(paths_output.bars(paths, outcomes)))
    st.markdown(f":small[{paths_output.beyond(paths, outcomes)}]")
    named_heads.warn(
        [(_("A on held-out sentences"), paths_output.held_out(opened.run, found.sender))]
    )
    return pictures


def _draw_all(paths: Paths, at: tuple[int, int]) -> list[Drawn]:
    """Draw the strongest paths, and a cell for each; return the pictures."""
    left, right = st.columns(2, gap="medium")
    with left:
        joined = paths_maps.links(paths, at)
        lines = charts.clickable(joined, LINKS, partial(_take_ranked, paths, at))
    with right:
        picture = paths_maps.map_of(paths, at)
        return [lines, matrices(picture, key=MAP, on_pick=partial(_take, paths))]


def _offer_telling(opened: Opened) -> None:
    """Show a link to a model in which one path is seen in what is written."""
    if cached.run_paths().get(TELLING, opened.path) != opened.path:
        query = {session.MODEL: TELLING, session.TRIAL: "paths", BY: LOG_P}
        label = _("A clearer example: {model}").format(model=TELLING)
        links.link("heads", label, ":material/lightbulb:", query)


def _ask(opened: Opened) -> tuple[Read, str]:
    """Ask what receivers read, and what a line shows."""
    measured = _few(opened.run)
    reads = {Read.QUERY: _("query"), Read.KEY: _("key")}
    # Values move no weight: without log p there would be nothing to see.
    reads |= {Read.VALUE: _("value"), Read.ALL: _("all")} if measured else {Read.ALL: _("all")}
    shown = {MOVED: _("its weights"), LOG_P: _("log p")}
    st.caption(_("B reads it as"), width="content")
    read = controls.choice(_("What the reader reads"), READS, reads, Read.QUERY)
    if read == Read.VALUE:
        del shown[MOVED]
    elif not measured:
        del shown[LOG_P]
    st.caption(_("measured by"), width="content")
    # Where a head looks is of interest because of what is written.
    by = controls.choice(_("What a line shows"), BY, shown, list(shown)[-1])
    return read, by


def _few(run: Run) -> bool:
    """Say whether there are few enough paths to measure of each what it does to the output."""
    return direct_paths(run.model, Read.ALL) <= MOST_MEASURED


def _studied(opened: Opened, second: str, read: Read, by: str) -> Paths | None:
    """Return all paths; where they cannot be measured, say why and return nothing."""
    both = (opened.sentence, second, read)
    try:
        study = cached.of_run(path_study, opened.path, *both)
        changes_NN = None
        if by == LOG_P:
            changes_NN = cached.of_run(path_probabilities, opened.path, *both)
    except PathError as error:
        st.info(ended(capitalised(plain(explained(error)))))
        return None
    tokens = opened.run.tokenizer.describe(_given(study.other))
    return Paths(study, opened.inspection, changes_NN, tuple(each.text for each in tokens))


def _given(other: Translation) -> tuple[int, ...]:
    """Return what a model is given of a sentence."""
    return other.source_ids or other.fed_ids[: other.n_given + 1]


def _chosen(opened: Opened, second: str, paths: Paths) -> tuple[int, int]:
    """Return the place of the path that the URL names, or else of the strongest."""
    cells.keep_only_of((opened.path, opened.sentence, second), PATH)
    effects = paths.study.effects
    named = (address.linked(PATH) or "").split(",")
    heads = [str(head) for head in effects.heads]
    if len(named) == 2 and set(named) <= set(heads):
        row, column = map(heads.index, named)
        if effects.direct_NN[row, column]:
            return row, column
    if strongest := effects.strongest(paths.change_NN):
        return strongest
    row, column = np.argwhere(effects.direct_NN)[0].tolist()
    return row, column


def _take(paths: Paths) -> None:
    """Take over the path whose cell was clicked."""
    if pick := clicks.picked(MAP):
        ends = paths_maps.path_at(paths, int(pick["row"]), int(pick["column"]))
        address.choose({PATH: ",".join(map(str, ends))})


def _take_ranked(paths: Paths, selected: tuple[int, int]) -> None:
    """Take over the path whose line was clicked."""
    found, heads = paths_maps.ranked(paths, selected), paths.study.effects.heads
    for point in session.picked_points(LINKS, PICKED)[:1]:
        ends = (heads[at] for at in found[point["row"]])
        address.choose({PATH: ",".join(map(str, ends))})


def _sentences(paths: Paths, run: Run) -> str:
    """Return both translations in Markdown, one below the other."""
    study = paths.study
    texts = marked(typeset(study.clean.text, run), typeset(study.other.text, run))
    lines = [
        _("First sentence, {written}: {text}").format(written=written(run), text=texts[0]),
        _("Second sentence, {written}: {text}").format(written=written(run), text=texts[1]),
    ]
    return "  \n".join(lines)


def _python(opened: Opened, second: str, read: Read, by: str) -> str:
    named = f'run, {snippets.quoted(opened.sentence)}, {snippets.quoted(second)}, Read("{read}")'
    lines = [
        f"effects = path_study({named}).effects",
        'numbers = {"moved": effects.moved_NN[effects.direct_NN].tolist()}',
    ]
    names = ["path_study"]
    if by == LOG_P:
        names.insert(0, "path_probabilities")
        lines += [
            f"changes_NN = path_probabilities({named})",
            'numbers["log_p_change"] = changes_NN[effects.direct_NN].tolist()',
        ]
    imports = [
        "from core.studies.effects.path_patching import Read",
        f"from core.studies.effects.path_study import {', '.join(names)}",
    ]
    return snippets.loading(opened.path, *imports) + "\n".join([*lines, ""])
