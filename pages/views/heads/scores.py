"""The roles of all heads in a table: each with score and baseline, and what silencing costs."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from core.heads import Head
from core.runs.run import Run, RunError
from core.studies.heads.question import ask, wanted_keys
from core.studies.heads.roles import (
    N_SENTENCES,
    SEED,
    HeadRole,
    questions_on,
    roles_of_heads,
)
from pages.frame import address, cached, controls, measured_on, notes, snippets, tables
from pages.frame.language import N_, _, plain
from pages.frame.listed import joined, listed
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.view import Shown
from pages.views.heads import named_heads, role_names, text_roles
from pages.views.heads.scores_table import (
    MARK,
    Scored,
    column_config,
    columns,
    faint,
    numbers,
    writers,
)
from pages.views.heads.text_roles_own import offer_text
from viz.charts.frames import written
from viz.charts.head_table import head_table

TABLE = "scores_table"
"""Key of the table."""
OF, ALL = "scores_of", "all"
EVERY_ROLE = "all_roles"
"""Whether every role has a column; in the link."""
SCORED = "scored"
"""Parameter with the chosen head, as `encoder.2.self:0`."""
_ROW, _ROWS = 35, 11
_FORMULA = (
    r"\mathrm{score} = \frac{1}{n} \sum_{i} "
    r"\left[\arg\max_j w_{ij} \in R_i\right], \qquad "
    r"R_i: \text{keys that have the role for row } i, \quad "
    r"\text{beats its baseline } b: \ "
    r"\mathrm{low}_{95\,\%}(s, n) > b \ \text{ (Wilson's interval)}"
)
TRIES = (
    N_("“all roles”: click a column's name to sort. Which head looks back most often?"),
    N_(
        "“all roles”: compare “source of the word fed” with “source of the next word” in "
        "cross-attention."
    ),
    N_(
        "Most heads have no leading role: what they do needs more than one word, or "
        "nothing depends on it. Silence them to see which."
    ),
)


def draw(opened: Opened) -> Shown | None:
    """Draw the table, and say what the chosen head does.

    Of a model that did not learn a task with sources here, the roles are those that need none.
    """
    if not opened.run.settings.has_pairs or not opened.run.settings.model.is_encoder_decoder:
        return text_roles.draw(opened)
    try:
        found = cached.of_run(roles_of_heads, opened.path, N_SENTENCES).heads
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    kinds = list(dict.fromkeys(each.head.kind for each in found))
    with st.container(horizontal=True, vertical_alignment="center"):
        of = controls.choice(
            _("Which heads"),
            OF,
            {ALL: _("all"), **{str(kind): _(kind.label) for kind in kinds}},
            ALL,
            older={kind.label: str(kind) for kind in kinds},
        )
        every_role = controls.toggle(_("all roles"), EVERY_ROLE)
        st.caption(_on_what(opened.run, found[0].n_sentences, every_role), width="content")
        if opened.run.settings.is_opened:
            offer_text(opened)
    # Sorting is stable: equal heads stay as they stand in the model.
    ordered = sorted(found, key=lambda each: -each.above_baseline)
    scored = Scored(
        [each for each in ordered if of in (ALL, each.head.kind)],
        notes.stored(opened.run),
        every_role,
    )
    chosen = _chosen(scored.heads)
    _draw_table(scored, chosen)
    _say(opened, scored, scored.heads[chosen])
    return Shown(
        name="heads_scores",
        title=_("The roles of the heads on {sentences}").format(
            sentences=measured_on.all_of_them(opened.run)
        ),
        numbers=lambda: numbers(scored),
        python=_python(opened, of, found[0].n_sentences),
        code=(roles_of_heads, questions_on, wanted_keys, ask),
        seen=_seen(scored.heads, chosen),
        formula=_FORMULA,
        how_to_read=role_names.meanings(),
        tries=[_(each) for each in TRIES],
    )


def _on_what(run: Run, n: int, every_role: bool) -> str:
    said = _("on {sentences}").format(sentences=measured_on.drawn(run, n, SEED))
    if not every_role:
        return _("{on}; the head farthest above its best rule comes first").format(on=said)
    return _("score (baseline) {on}; n.s.: not significantly more").format(on=said)


def _seen(heads: Sequence[HeadRole], chosen: int) -> str:
    """Say in Markdown what a head does more often than the best rule without a model."""
    head = heads[chosen]
    first = all(each.above_baseline < head.above_baseline for each in heads if each is not head)
    where = notes.site_and_head(head.head)
    role = head.farthest
    if role is None:
        return _("**{where}** has no role that beats the best rule without a model.").format(
            where=where
        )
    text = _("**{where}** has the role **{role}**: it looks there most {how}.")
    if first:
        text = _("**{where}** has the clearest role, **{role}**: it looks there most {how}.")
    evidence = role_names.evidence(head.scores[role], role)
    return text.format(where=where, role=role_names.named(role, head), how=evidence)


def _chosen(heads: Sequence[HeadRole]) -> int:
    """Return the row that the link names, or else that of the head that differs most."""
    with suppress(ValueError):
        return [each.head for each in heads].index(Head.parse(address.linked(SCORED) or ""))
    return 0


def _draw_table(scored: Scored, chosen: int) -> None:
    names = [str(each.head) for each in scored.heads]
    tables.show(
        TABLE,
        written(
            head_table(
                [each.head.index for each in scored.heads], columns(scored), faint(scored), MARK
            ),
            writers(),
        ),
        names,
        [names[chosen]],
        _take,
        selection_mode="single-row",
        row_height=_ROW,
        height=_ROW * (1 + min(len(scored.heads), _ROWS)) + 2,
        column_config=column_config(scored),
        alt=_("All heads, with the score of each role"),
    )


def _take(ticked: Sequence[str]) -> None:
    """Take over the head whose row was ticked."""
    for name in ticked:
        address.choose({SCORED: name})


def _say(opened: Opened, scored: Scored, head: HeadRole) -> None:
    lines = notes.about_head(opened.run, head.head)
    if scored.every_role and (useless := role_names.not_beaten(head)):
        lines.append(_("No better than their baselines: {roles}.").format(roles=listed(useless)))
    if lines:
        st.caption(joined(lines))
    named_heads.link_to_map(opened, head.head)


def _python(opened: Opened, of: str, n: int) -> str:
    of_kind = "" if of == ALL else f' if head.head.kind == "{of}"'
    lines = [
        f"heads = [head for head in roles_of_heads(run, {n}).heads{of_kind}]",
        "heads.sort(key=lambda head: -head.above_baseline)",
        "scores = [score for head in heads for score in head.scores.values()]",
        'numbers = {"score": [each.value for each in scores],',
        '           "baseline": [each.baseline for each in scores]}',
        "",
    ]
    imports = "from core.studies.heads.roles import roles_of_heads"
    return snippets.loading(opened.path, imports) + "\n".join(lines)
