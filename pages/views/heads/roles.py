"""The roles of all heads: on held-out sentences in a table, or in a text."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from core.heads import Head
from core.studies.effects.head_report import RolesReport, roles_report
from core.studies.effects.measuring import stored_effects
from core.studies.heads.question import ask, target_keys
from core.studies.heads.roles import SEED, HeadRole, questions_on, roles_of_heads
from pages.frame import controls, measured_on, notes, session
from pages.frame.language import _, joined, n_, number, percent_of_100
from pages.frame.needs import Need, missing
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import head_findings, named_heads, role_names, roles_scatter, roles_text
from pages.views.heads.own_text import offer_text
from viz.charts.frames import runs_table, written

TABLE = "scores_table"
"""Key of the table."""
SCORED, ALL = "scored", "all_heads"
"""In the link: the chosen head, as `encoder.2.self:0`; and whether all are shown."""
PICTURE, EACH, SCATTER = "roles_shown", "each", "scatter"
"""In the link: whether roles are shown, or all heads by two measures."""
_ROW, _ROWS = 35, 11
ROLE, SHARE, BASELINE, EXACT, PRONOUNS = "role", "share", "baseline", "exact_match", "pronoun"


def draw(opened: Opened) -> Shown | None:
    """Draw the roles of all heads on the task, or on a text that needs none."""
    settings = opened.run.settings
    row = st.container(horizontal=True, vertical_alignment="bottom")
    if not missing(settings, (Need.TEXTS,)):
        offered = {EACH: _("role by role"), SCATTER: _("scatter plot")}
        with row:
            shown = controls.choice(_("Shown"), PICTURE, offered, EACH)
        if shown == SCATTER:
            return roles_scatter.draw(opened, row)
    if not (settings.has_pairs and settings.model.is_encoder_decoder):
        return roles_text.draw(opened, row)
    if settings.is_opened:
        offer_text(opened)
    return _of_held_out(opened)


def _of_held_out(opened: Opened) -> Shown:
    """Draw the table of roles on held-out sentences, and say what the chosen head does."""
    measured = notes.stored(opened.run) is not None
    effects = Recipe(stored_effects, opened.path) if measured else None
    recipe = Recipe(roles_report, Recipe(roles_of_heads, opened.path), effects)
    report = recipe.result()
    chosen = _chosen(report)
    _draw_table(report, chosen)
    said = _(
        "Tick a row to read about its head. A head may matter for another reason than its role."
    )
    st.caption(joined([said, _("Empty: no change found.") if report.needed else ""]))
    named_heads.warn(notes.about_head(opened.run, chosen.head))
    named_heads.link_to_map(opened, chosen.head)
    on = measured_on.drawn(opened.run, chosen.n_sentences, SEED)
    text = view_text("heads", "roles").sections["How to read"]
    return Shown(
        name="heads_roles",
        title=_("The roles of the heads on {sentences}").format(
            sentences=_("pairs of your own")
            if opened.run.settings.is_opened
            else _("held-out sentences")
        ),
        recipe=recipe,
        code=(questions_on, target_keys, ask),
        seen=_seen(report, chosen),
        how_to_read="\n".join([text, _("- Measured on {sentences}.").format(sentences=on)]),
    )


def _chosen(report: RolesReport) -> HeadRole:
    """Return the head that the link names, or else the one that the model needs most."""
    heads = {each.head: each for each in report.heads}
    with suppress(ValueError, KeyError):
        return heads[Head.parse(session.linked(SCORED) or "")]
    return report.heads[0]


def _draw_table(report: RolesReport, chosen: HeadRole) -> None:
    """Draw the heads that the model needs and the chosen one; all where that is asked for."""
    shown, n = report.heads, len(report.heads)
    needed = {each.head for each in report.needed}
    if 0 < len(needed) < n and not controls.toggle(_("All {n} heads").format(n=number(n)), ALL):
        shown = [each for each in report.heads if each.head in needed | {chosen.head}]
    rows = [_row(report, each) for each in shown]
    names = [str(each.head) for each in shown]
    in_percent = partial(percent_of_100, decimals=0)
    controls.table(
        TABLE,
        written(runs_table(rows), dict.fromkeys((SHARE, BASELINE), in_percent)),
        names,
        [str(chosen.head)],
        _take,
        selection_mode="single-row",
        row_height=_ROW,
        height=_ROW * (1 + min(len(names), _ROWS)) + 2,
        column_config=_column_config(report),
        alt=_("Heads, with the role of each"),
    )


def _take(ticked: Sequence[str]) -> None:
    """Take over the head whose row was ticked."""
    for name in ticked:
        session.choose({SCORED: name})


def _row(report: RolesReport, found: HeadRole) -> dict[str, object]:
    """Return what stands in the row of a head."""
    score = found.farthest and found.scores[found.farthest]
    lost = report.lost(found.head)
    return {
        "head": notes.site_and_head(found.head),
        ROLE: role_names.farthest(found),
        SHARE: score and 100 * score.value,
        BASELINE: score and 100 * score.baseline,
        **{name: _points(lost[name]) for name in _measured(report)},
    }


def _measured(report: RolesReport) -> list[str]:
    """Return the figures of which some head costs something."""
    lost = [report.lost(each.head) for each in report.heads]
    return [name for name in (EXACT, PRONOUNS) if any(each[name] for each in lost)]


def _column_config(report: RolesReport) -> dict[str, ColumnConfig | None]:
    """Return how the columns are written."""
    numeric, text = st.column_config.NumberColumn, st.column_config.TextColumn
    share = _(
        "Share of the cases in which the largest weight is there: of the roles that the head can "
        "have, the one that differs most from its baseline."
    )
    baseline = _("The same share for the best rule without a model.")
    lost = _("Percentage points lost when this head is silenced; empty: no measurable loss.")
    falls = [fall for each in report.needed for fall in report.lost(each.head).values() if fall]
    most = 100 * max(falls, default=1.0)
    bar = partial(
        st.column_config.ProgressColumn,
        width=190,
        help=lost,
        min_value=0,
        max_value=most,
        format="%.1f",
    )
    return {
        "head": text(_("head"), width=270),
        ROLE: text(_("best matching role"), width=200),
        SHARE: numeric(_("how often"), width=90, help=share),
        BASELINE: numeric(_("baseline"), width=90, help=baseline),
        EXACT: bar(_("right sentences lost (points)")),
        PRONOUNS: bar(_("right pronouns lost (points)")),
    }


def _points(fall: float | None) -> float | None:
    return None if fall is None else round(100 * fall, 1)


def _seen(report: RolesReport, chosen: HeadRole) -> str:
    """Say how many heads the model needs, and what the chosen one does."""
    n, of = len(report.needed), len(report.heads)
    text = n_(
        "**{n} of {of} heads matters**: silencing any other one does not measurably lower the "
        "accuracy.",
        "**{n} of {of} heads matter**: silencing any other one does not measurably lower the "
        "accuracy.",
        n,
    )
    if n == 0:
        text = _(
            "**No head matters by itself**: silencing any one does not measurably lower the "
            "accuracy."
        )
    elif n == of:
        text = _("**All of the heads matter** ({of}): silencing any one lowers the accuracy.")
    effect = None if report.effects is None else report.effects.of(chosen.head)
    lead = text.format(of=number(of)) if report.effects else ""
    return joined([lead, head_findings.seen(chosen, effect)])
