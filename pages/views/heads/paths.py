"""Which head reads what another head wrote: one direct path at a time is patched."""

from functools import partial

import streamlit as st

from core.decoding.sentence import Translation
from core.heads import Head
from core.runs.run import Run
from core.studies.effects.path_patching import (
    PathError,
    PathPatching,
    Read,
    heads_in_order,
    is_direct,
)
from core.studies.effects.path_study import (
    OnePath,
    PathOutcomes,
    one_path,
    path_outcomes,
    path_senders,
)
from pages.frame import address, cached, charts, controls, links, opening, session, snippets
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

PATH, READER, READS, BY = "path", "path_reader", "path_reads", "path_by"
"""In the URL: "encoder.0.self:1,encoder.2.self:0", who reads, what is read, what a line shows."""
MOVED, LOG_P = "moved", "log_p"
LINKS, ROWS = "paths_links", ("paths_row", "paths_row_read")
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
    """Draw what one direct path changes, and below it what all paths to its reader change."""
    with st.container(horizontal=True, vertical_alignment="center"):
        second = second_sentence.ask(opened)
        clearer = st.container(width="content")
    if not second_sentence.fits(opened, second):
        return None
    # What is asked about all paths stands beside their pictures, and decides which is drawn first.
    above = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("**Other paths: click one**"), width="content")
        read, by = _ask()
        reader = _ask_reader(opened, read)
    if reader is None:
        st.info(_("In this model no head reads what another wrote, so there is no path to change."))
        return None
    if (paths := _studied(opened, second, read, by, reader)) is None:
        return None
    at = _chosen(opened, second, paths)
    asked = opened.sentence, second, read, paths.study.senders[at], reader
    found = cached.of_run(one_path, opened.path, *asked)
    outcomes = cached.of_run(path_outcomes, opened.path, *asked)
    if paths_output.is_weak(outcomes):
        with clearer:
            _offer_telling(opened)
    with above:
        pictures = _draw_one(opened, paths, found, outcomes, read)
    pictures.append(charts.clickable(paths_maps.links(paths, at), LINKS, partial(_take, paths, at)))
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
        numbers=paths.study.table,
        python=_python(opened, second, read, reader),
        seen=paths_findings.seen(paths, found, outcomes, read),
        code=(path_senders, PathPatching, one_path, path_outcomes),
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


def _offer_telling(opened: Opened) -> None:
    """Show a link to a model in which one path is seen in what is written."""
    if cached.run_paths().get(TELLING, opened.path) != opened.path:
        query = {session.MODEL: TELLING, session.TRIAL: "paths", BY: LOG_P}
        label = _("A clearer example: {model}").format(model=TELLING)
        links.link("heads", label, ":material/lightbulb:", query)


def _ask() -> tuple[Read, str]:
    """Ask what the reader reads, and what a line shows."""
    reads = {Read.QUERY: _("query"), Read.KEY: _("key"), Read.VALUE: _("value"), Read.ALL: _("all")}
    shown = {MOVED: _("its weights"), LOG_P: _("log p")}
    st.caption(_("B reads it as"), width="content")
    read = controls.choice(_("What the reader reads"), READS, reads, Read.QUERY)
    if read == Read.VALUE:
        # Values move no weight.
        del shown[MOVED]
    st.caption(_("measured by"), width="content")
    # Where a head looks is of interest because of what is written.
    by = controls.choice(_("What a line shows"), BY, shown, LOG_P)
    return read, by


def _ask_reader(opened: Opened, read: Read) -> Head | None:
    """Ask which head reads, of those that another writes to; None where there is none."""
    heads = heads_in_order(opened.run.model)
    readers = [each for each in heads if any(is_direct(other, each, read) for other in heads)]
    if not readers:
        return None
    kind = opening.default_kind(opened.run)
    layer, index = opening.default_head(opened.run, kind)
    usual = [str(Head(kind.site(layer), index)), (address.linked(PATH) or "").rpartition(",")[2]]
    named = {str(each): paths_maps.short(each) for each in readers}
    default = next((each for each in reversed(usual) if each in named), str(readers[-1]))
    st.caption(_("B is"), width="content")
    return Head.parse(
        controls.selection(_("Head that reads"), READER, named, default, width=180, labelled=False)
    )


def _studied(opened: Opened, second: str, read: Read, by: str, reader: Head) -> Paths | None:
    """Return all paths to a reader; where they cannot be measured, say why and return nothing."""
    try:
        asked = opened.sentence, second, read, reader
        study = cached.of_run(path_senders, opened.path, *asked)
    except PathError as error:
        st.info(ended(capitalised(plain(explained(error)))))
        return None
    tokens = opened.run.tokenizer.describe(_given(study.other))
    texts = tuple(each.text for each in tokens)
    return Paths(study, opened.inspection, by == LOG_P, texts)


def _given(other: Translation) -> tuple[int, ...]:
    """Return what a model is given of a sentence."""
    return other.source_ids or other.fed_ids[: other.n_given + 1]


def _chosen(opened: Opened, second: str, paths: Paths) -> int:
    """Return the place of the sender that the URL names, or else of the strongest."""
    cells.keep_only_of((opened.path, opened.sentence, second), PATH)
    study = paths.study
    for at, sender in enumerate(study.senders):
        if address.linked(PATH) == f"{sender},{study.receiver}":
            return at
    return paths.strongest


def _take(paths: Paths, selected: int) -> None:
    """Take over the path whose line was clicked."""
    found, study = paths_maps.ranked(paths, selected), paths.study
    for point in session.picked_points(LINKS, PICKED)[:1]:
        address.choose({PATH: f"{study.senders[found[point['row']]]},{study.receiver}"})


def _sentences(paths: Paths, run: Run) -> str:
    """Return both translations in Markdown, one below the other."""
    study = paths.study
    texts = marked(typeset(study.clean.text, run), typeset(study.other.text, run))
    lines = [
        _("First sentence, {written}: {text}").format(written=written(run), text=texts[0]),
        _("Second sentence, {written}: {text}").format(written=written(run), text=texts[1]),
    ]
    return "  \n".join(lines)


def _python(opened: Opened, second: str, read: Read, reader: Head) -> str:
    both = f"{snippets.quoted(opened.sentence)}, {snippets.quoted(second)}"
    lines = [
        f'reader = Head.parse("{reader}")',
        f'numbers = path_senders(run, {both}, Read("{read}"), reader).table()',
    ]
    imports = [
        "from core.heads import Head",
        "from core.studies.effects.path_patching import Read",
        "from core.studies.effects.path_study import path_senders",
    ]
    return snippets.loading(opened.path, *imports) + "\n".join([*lines, ""])
