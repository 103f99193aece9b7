"""Which head reads what another head wrote: one direct path at a time is patched."""

import math
from functools import partial

import numpy as np
import streamlit as st

from core.analysis.effects.path_effects import direct_paths, log_probability_changes, path_effects
from core.analysis.effects.path_patching import PathError, PathPatching, Read
from core.analysis.effects.path_study import OnePath, one_path, path_probabilities, path_study
from core.runs.run import Run
from pages.frame import address, cached, charts, clicks, controls, notes, session, snippets
from pages.frame.components import matrices
from pages.frame.language import N_, _, brief, capitalised, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.translations import say
from pages.frame.typography import marked, typeset
from pages.frame.view import Shown
from pages.views.heads import cells, named_heads, paths_maps, second_sentence
from pages.views.heads.paths_maps import Paths
from viz.charts.bars import PICKED

PATH, READS, BY = "path", "path_reads", "path_by"
"""In the URL: "encoder.0.self:1,encoder.2.self:0", what is read, and what a cell shows."""
MOVED, LOG_P = "moved", "log_p"
RANKING, MAP, ROW = "paths_ranking", "paths_map", "paths_row"
MOST_MEASURED = 1000
"""With more paths, log p is measured of the chosen one alone: of all it would take too long."""
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
    """Draw what each direct path changes, and one of them in detail."""
    with st.container(horizontal=True, vertical_alignment="center"):
        second = second_sentence.ask(opened)
        read, by = _ask(opened.run)
    if not second_sentence.fits(opened, second):
        return None
    if (paths := _studied(opened, second, read, by)) is None:
        return None
    at = _chosen(opened, second, paths)
    sender, receiver = (paths.study.effects.heads[each] for each in at)
    both = (opened.sentence, second)
    found = cached.of_run(one_path, opened.path, *both, read, sender, receiver)
    left, right = st.columns([9, 11], gap="medium")
    with left:
        listed = paths_maps.ranking(paths, at)
        pictures = [charts.clickable(listed, RANKING, partial(_take_ranked, paths, at))]
        st.caption(_what_is_done(paths, read))
    with right:
        say(_sentences(paths, opened.run))
        if read != Read.VALUE:
            pictures.append(matrices(paths_maps.before_and_after(paths, found), key=ROW))
        with st.container(horizontal=True):
            for head in (sender, receiver):
                named_heads.link_to_map(opened, head)
    with st.container():
        st.caption(_measured(paths))
        named_heads.warn_whatever_the_sentence(opened.run, [sender, receiver])
    picture = paths_maps.map_of(paths, at)
    pictures.append(matrices(picture, key=MAP, on_pick=partial(_take, paths)))
    return Shown(
        name=f"paths_{read}",
        title=_("Which head reads what another head wrote"),
        numbers=lambda: paths_maps.numbers(paths),
        python=_python(opened, second, read, by),
        seen=_seen(paths, found, read),
        code=(path_study, PathPatching, path_effects, log_probability_changes),
        pictures=pictures,
        about={"second_sentence": second},
        formula=_FORMULA,
        how_to_read=_(_HOW_TO_READ),
        tries=[_(each) for each in TRIES],
    )


def _ask(run: Run) -> tuple[Read, str]:
    """Ask what receivers read, and what a cell shows."""
    measured = direct_paths(run.model, Read.ALL) <= MOST_MEASURED
    reads = {Read.QUERY: _("query"), Read.KEY: _("key")}
    # Values move no weight: without log p there would be nothing to see.
    reads |= {Read.VALUE: _("value"), Read.ALL: _("all")} if measured else {Read.ALL: _("all")}
    shown = {MOVED: _("looks"), LOG_P: _("log p")}
    st.caption(_("receiver’s"), width="content")
    read = controls.choice(_("What the receiver reads"), READS, reads, Read.QUERY)
    if read == Read.VALUE:
        del shown[MOVED]
    elif not measured:
        del shown[LOG_P]
    st.caption(_("a bar shows"), width="content")
    usual = LOG_P if LOG_P in shown else MOVED
    by = controls.choice(_("What a bar shows"), BY, shown, usual)
    return read, by


def _studied(opened: Opened, second: str, read: Read, by: str) -> Paths | None:
    """Return all paths; where they cannot be measured, say why and return nothing."""
    both = (opened.sentence, second, read)
    try:
        with st.spinner(_("Patching every path …"), show_time=False):
            study = cached.of_run(path_study, opened.path, *both)
            changes_NN = None
            if by == LOG_P:
                changes_NN = cached.of_run(path_probabilities, opened.path, *both)
    except PathError as error:
        st.info(f"{capitalised(plain(explained(error)))}.")
        return None
    return Paths(study, opened.inspection, changes_NN)


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
    """Take over the path whose bar was clicked."""
    found, heads = paths_maps.ranked(paths, selected), paths.study.effects.heads
    for point in session.picked_points(RANKING, PICKED)[:1]:
        ends = (heads[at] for at in found[point["row"]])
        address.choose({PATH: ",".join(map(str, ends))})


def _sentences(paths: Paths, run: Run) -> str:
    """Return both translations in Markdown, one below the other."""
    study = paths.study
    texts = marked(*(typeset(each.text, run) for each in (study.clean, study.other)))
    lines = [_("First: {text}").format(text=texts[0]), _("Second: {text}").format(text=texts[1])]
    return "  \n".join(lines)


def _what_is_done(paths: Paths, read: Read) -> str:
    """Say what is put where, and what a bar shows of it."""
    given = {
        Read.QUERY: _("computes its query"),
        Read.KEY: _("computes its key"),
        Read.VALUE: _("computes its value"),
        Read.ALL: _("computes query, key and value"),
    }[read]
    text = _(
        "The model reads the first sentence, but the head on the right of an arrow {given} as if "
        "the one on the left had written what it writes in the second. {shown}"
    )
    shown = _("Bar: how much of its weight the reader moves, in the row that changes most.")
    if paths.log_p_NN is not None:
        shown = _("Bar: by how much log p(“{token}”) changes.").format(
            token=plain(paths.study.token.text)
        )
    return text.format(given=given, shown=shown)


def _seen(paths: Paths, found: OnePath, read: Read) -> str:
    """Say in Markdown what the chosen path changes."""
    effects = paths.study.effects
    strongest = effects.strongest(paths.change_NN)
    said = f"{_look(paths, found, read)} {_effect(paths, found)}"
    heads = found.sender, found.receiver
    if strongest is None or tuple(effects.heads[each] for each in strongest) != heads:
        return said
    n = int(effects.direct_NN.sum())
    first = n_("This is the only direct path.", "Strongest of {n} direct paths.", n)
    return f"{first.format(n=number(n))} {said}"


def _look(paths: Paths, found: OnePath, read: Read) -> str:
    """Say which look a path changes most."""
    names = {
        "receiver": notes.site_and_head(found.receiver),
        "sender": notes.within_sentence(found.sender),
    }
    if read == Read.VALUE:
        text = _(
            "**{receiver}** takes other values from what {sender} wrote, and looks where it did."
        )
        return text.format(**names)
    before, after = (
        float(weights_QK[found.query, found.key])
        for weights_QK in (found.before_QK, found.after_QK)
    )
    if before == after:
        return _("**{receiver}** looks where it did, whatever {sender} wrote.").format(**names)
    falls = _(
        "**{receiver}** reads what {sender} wrote: its look from “{query}” at “{key}” falls from "
        "**{before}** to **{after}**."
    )
    rises = _(
        "**{receiver}** reads what {sender} wrote: its look from “{query}” at “{key}” rises from "
        "**{before}** to **{after}**."
    )
    query, key = map(plain, paths.look(found.receiver, found.query, found.key))
    text = falls if after < before else rises
    return text.format(**names, query=query, key=key, before=percent(before), after=percent(after))


def _effect(paths: Paths, found: OnePath) -> str:
    """Say how much of what the second sentence changes comes along the path."""
    study = paths.study
    before, after, whole = (
        percent(math.exp(each))
        for each in (found.before_log_p, found.after_log_p, study.other_log_p)
    )
    text = _(
        "The chance of “{token}” goes from {before} to **{after}**; with the whole second sentence "
        "to {whole}."
    )
    if before == after:
        text = _(
            "That alone does nothing to what is written: the chance of “{token}” stays at "
            "**{after}**; with the whole second sentence it goes to {whole}."
        )
    return text.format(token=plain(study.token.text), before=before, after=after, whole=whole)


def _measured(paths: Paths) -> str:
    """Say where it was measured, and what is usual among all paths."""
    study, effects = paths.study, paths.study.effects
    median = effects.median(paths.change_NN)
    by_log_p = paths.log_p_NN is not None
    written = _("{median} nats").format(median=brief(median)) if by_log_p else percent(median)
    where = _("where the translations part") if study.part else _("where most changes")
    text = _(
        "Baseline: the median of the {n} paths whose sender writes something else is {median}. "
        "Measured at step {step}, {where}, "
        "after the same words: log p(“{token}”) is {clean} nats in the first sentence, {other} in "
        "the second. One pair of sentences (n = 1): an observation, not a law."
    )
    return text.format(
        n=number(effects.n_differing),
        median=written,
        step=study.step,
        where=where,
        token=plain(study.token.text),
        clean=number(study.clean_log_p),
        other=number(study.other_log_p),
    )


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
        "from core.analysis.effects.path_patching import Read",
        f"from core.analysis.effects.path_study import {', '.join(names)}",
    ]
    return snippets.loading(opened.path, *imports) + "\n".join([*lines, ""])
