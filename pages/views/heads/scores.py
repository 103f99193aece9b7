"""The roles of all heads in a table: each with score and baseline, and what silencing costs."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import streamlit as st

from core.analysis.heads.roles import N_SENTENCES, SEED, HeadRole, role_scores, study_roles
from core.analysis.heads.roles_questions import wanted
from core.heads import Head
from core.runs.run import RunError
from pages.frame import address, cached, controls, lesson, notes, opening, visit
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import ATTENTIONS, _, plain
from pages.views.heads import scores_links, scores_words
from pages.views.heads.scores_table import MARK, Scored, column_config, columns, faint, numbers
from viz.charts.role_table import role_table

TABLE = "scores_table"
"""Key of the table."""
OF, ALL = "scores_of", "all"
SCORED = "scored"
"""Parameter with the chosen head, as `encoder.2.self:0`."""
_ROW, _ROWS = 35, 11


def draw(opened: Opened) -> None:
    """Draw the table, and say what the chosen head does."""
    try:
        with st.spinner(_("Scoring every head on {n} held-out sentences …").format(n=N_SENTENCES)):
            found = cached.of_run(role_scores, opened.path, N_SENTENCES)
    except RunError as error:
        st.error(plain(str(error)))
        return
    kinds = dict.fromkeys(each.head.kind for each in found)
    offered = controls.words([ALL, *(ATTENTIONS[kind] for kind in kinds)])
    with st.container(horizontal=True, vertical_alignment="center"):
        of = controls.choice(_("Which heads"), OF, offered, ALL)
        st.caption(
            _(
                "score (baseline) on {n} held-out sentences, seed {seed}; "
                "n.s.: not significantly more"
            ).format(n=found[0].n_sentences, seed=SEED),
            width="content",
        )
    heads = [each for each in found if of in (ALL, ATTENTIONS[each.head.kind])]
    scored = Scored(heads, notes.stored(opened.run))
    chosen = _chosen(opened, heads)
    _draw_table(scored, chosen)
    _say(opened, heads[chosen])
    lesson.numbers("heads_scores", numbers(scored))
    _explain()


def _chosen(opened: Opened, heads: Sequence[HeadRole]) -> int:
    """Return the row that the link names, or else that of the head that the app opens on."""
    with suppress(ValueError):
        return [each.head for each in heads].index(Head.parse(address.linked(SCORED) or ""))
    for kind in (opening.default_kind(opened.run), heads[0].head.kind):
        layer, number = opening.default_head(opened.run, kind)
        for row, each in enumerate(heads):
            if each.head == Head(kind.site(layer), number):
                return row
    return 0


def _draw_table(scored: Scored, chosen: int) -> None:
    visit.prepare_rows(TABLE, [chosen])
    st.dataframe(
        role_table(
            [each.head.index for each in scored.heads], columns(scored), faint(scored), MARK
        ),
        key=TABLE,
        on_select=partial(
            visit.report_rows,
            TABLE,
            partial(_take_row, [str(each.head) for each in scored.heads]),
        ),
        selection_mode="single-row",
        hide_index=True,
        placeholder="",
        row_height=_ROW,
        height=_ROW * (1 + min(len(scored.heads), _ROWS)) + 2,
        column_config=column_config(scored),
        alt=_("All heads, with the score of each role"),
    )


def _take_row(names: Sequence[str], rows: list[int]) -> None:
    """Take over the head whose row was ticked."""
    for row in rows[:1]:
        address.choose({SCORED: names[row]})


def _say(opened: Opened, head: HeadRole) -> None:
    where = notes.site_and_head(head.head)
    st.text(f"{where}. {scores_words.said(head)}")
    lines = notes.about_head(opened.run, head.head)
    if useless := scores_words.not_beaten(head):
        lines.append(_("No better than their baselines: {roles}.").format(roles=", ".join(useless)))
    if lines:
        st.caption(" ".join(lines))
    scores_links.to_map(opened, head.head)


def _explain() -> None:
    with st.expander(_("What the roles mean")):
        st.markdown(scores_words.meanings())
        st.markdown(scores_words.RULES)
    lesson.explained(
        Explanation(
            formula=r"\mathrm{score} = \frac{1}{n} \sum_{i} "
            r"\left[\arg\max_j w_{ij} \in R_i\right], \qquad "
            r"R_i: \text{keys that have the role for row } i, \quad "
            r"\text{beats its baseline } b: \ "
            r"\mathrm{low}_{95\,\%}(s, n) > b \ \text{ (Wilson's interval)}",
            tries=(
                _("Click a column's name to sort: which head looks back most often?"),
                _("Compare “aligned, fed” with “aligned, predicted” in cross-attention."),
                _(
                    "Most heads have no leading role: what they do needs more than one word, or "
                    "nothing depends on it. Silence them to see which."
                ),
            ),
            code=(role_scores, study_roles, wanted),
        )
    )
