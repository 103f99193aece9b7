"""The roles of all heads: on held-out sentences in a table, in a text, or in this sentence."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.heads import Head, Kind
from core.runs.run import Run, RunError
from core.studies.effects.head_report import roles_report
from core.studies.effects.measuring import stored_effects
from core.studies.heads.question import ask, target_keys
from core.studies.heads.roles import SEED, HeadRole, questions_on, roles_of_heads
from pages.frame import controls, measured_on, notes, session
from pages.frame.language import _, joined, listed, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.heads import named_heads, role_names, roles_sentence, roles_text
from pages.views.heads.own_text import offer_text
from pages.views.heads.roles_table import MARK, Scored, column_config, columns, faint, writers
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
HELD_OUT, TEXT, SENTENCE = "held_out", "text", "sentence"
ON = "roles_on"
"""In the link: on what the heads are measured."""


def draw(opened: Opened) -> Shown | None:
    """Ask on what the roles of all heads are measured, and draw them."""
    # A model that did not learn a task with sources here has roles that need none.
    of_task = opened.run.settings.has_pairs and opened.run.settings.model.is_encoder_decoder
    offered = {
        **({HELD_OUT: measured_on.all_of_them(opened.run)} if of_task else {TEXT: _("a text")}),
        SENTENCE: _("this sentence"),
    }
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        st.caption(_("measured on"), width="content")
        on = controls.choice(_("Measured on"), ON, offered, next(iter(offered)))
    match on:
        case "sentence":
            return roles_sentence.draw(opened)
        case "text":
            return roles_text.draw(opened)
    return _of_held_out(opened, row)


def _of_held_out(opened: Opened, row: DeltaGenerator) -> Shown | None:
    """Draw the table of roles on held-out sentences, and say what the chosen head does."""
    roles = Recipe(roles_of_heads, opened.path)
    try:
        kinds = list(dict.fromkeys(each.head.kind for each in roles.result().heads))
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    with row:
        of = controls.choice(
            _("Which heads"),
            OF,
            {ALL: _("all"), **{str(kind): _(kind.label) for kind in kinds}},
            ALL,
            older={kind.label: str(kind) for kind in kinds},
        )
        every_role = controls.toggle(_("all roles"), EVERY_ROLE)
        if opened.run.settings.is_opened:
            offer_text(opened)
    effects = None
    if notes.stored(opened.run) is not None:
        effects = Recipe(stored_effects, opened.path)
    recipe = Recipe(roles_report, roles, effects, None if of == ALL else Kind(of))
    report = recipe.result()
    scored = Scored(report.heads, report.effects, every_role)
    st.caption(_on_what(opened.run, report.heads[0].n_sentences, every_role))
    chosen = _chosen(scored.heads)
    _draw_table(scored, chosen)
    _say(opened, scored, scored.heads[chosen])
    return Shown(
        name="heads_roles",
        title=_("The roles of the heads on {sentences}").format(
            sentences=measured_on.all_of_them(opened.run)
        ),
        recipe=recipe,
        code=(questions_on, target_keys, ask),
        seen=_seen(scored.heads, chosen),
        how_to_read=role_names.meanings(),
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
        return [each.head for each in heads].index(Head.parse(session.linked(SCORED) or ""))
    return 0


def _draw_table(scored: Scored, chosen: int) -> None:
    names = [str(each.head) for each in scored.heads]
    controls.table(
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
        session.choose({SCORED: name})


def _say(opened: Opened, scored: Scored, head: HeadRole) -> None:
    lines = notes.about_head(opened.run, head.head)
    if scored.every_role and (useless := role_names.not_beaten(head)):
        lines.append(_("No better than their baselines: {roles}.").format(roles=listed(useless)))
    if lines:
        st.caption(joined(lines))
    named_heads.link_to_map(opened, head.head)
