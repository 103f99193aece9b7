"""The roles of all heads: on held-out sentences in a table, or in a text."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from core.evaluate.intervals import Difference
from core.heads import Head
from core.runs.run import RunError
from core.studies.effects.head_effects import HeadEffect
from core.studies.effects.head_report import RolesReport, roles_report
from core.studies.effects.measuring import stored_effects
from core.studies.heads.question import ask, target_keys
from core.studies.heads.roles import SEED, HeadRole, questions_on, roles_of_heads
from pages.frame import controls, measured_on, notes, session
from pages.frame.language import _, joined, n_, number, percent_of_100, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import head_findings, named_heads, role_names, roles_text
from pages.views.heads.own_text import offer_text
from viz.charts.frames import written
from viz.charts.head_table import head_table

TABLE = "scores_table"
"""Key of the table."""
SCORED = "scored"
"""Parameter with the chosen head, as `encoder.2.self:0`."""
_ROW, _ROWS = 35, 11
ROLE, SHARE, RULE, SENTENCES, PRONOUNS = "role", "share", "rule", "sentences", "pronouns"


def draw(opened: Opened) -> Shown | None:
    """Draw the roles of all heads on the task, or on a text that needs none."""
    settings = opened.run.settings
    if not (settings.has_pairs and settings.model.is_encoder_decoder):
        return roles_text.draw(opened)
    if settings.is_opened:
        offer_text(opened)
    return _of_held_out(opened)


def _of_held_out(opened: Opened) -> Shown | None:
    """Draw the table of roles on held-out sentences, and say what the chosen head does."""
    measured = notes.stored(opened.run) is not None
    effects = Recipe(stored_effects, opened.path) if measured else None
    recipe = Recipe(roles_report, Recipe(roles_of_heads, opened.path), effects)
    try:
        report = recipe.result()
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    chosen = _chosen(report)
    _draw_table(report, chosen)
    st.caption(_about_table(report))
    named_heads.warn(notes.about_head(opened.run, chosen.head))
    named_heads.link_to_map(opened, chosen.head)
    on = measured_on.drawn(opened.run, chosen.n_sentences, SEED)
    text = view_text("heads", "roles").sections["How to read"]
    return Shown(
        name="heads_roles",
        title=_("The roles of the heads on {sentences}").format(
            sentences=measured_on.all_of_them(opened.run)
        ),
        recipe=recipe,
        code=(questions_on, target_keys, ask),
        seen=head_findings.seen(chosen, _effect(report, chosen)),
        how_to_read="\n".join([text, _("- Measured on {sentences}.").format(sentences=on)]),
    )


def _effect(report: RolesReport, head: HeadRole) -> HeadEffect | None:
    return None if report.effects is None else report.effects.of(head.head)


def _chosen(report: RolesReport) -> HeadRole:
    """Return the head that the link names, or else the one that the model needs most."""
    heads = {each.head: each for each in report.heads}
    with suppress(ValueError, KeyError):
        return heads[Head.parse(session.linked(SCORED) or "")]
    return report.heads[0]


def _draw_table(report: RolesReport, chosen: HeadRole) -> None:
    names = [str(each.head) for each in report.heads]
    columns, faint = _columns(report)
    controls.table(
        TABLE,
        written(head_table(columns, faint), _writers()),
        names,
        [str(chosen.head)],
        _take,
        selection_mode="single-row",
        row_height=_ROW,
        height=_ROW * (1 + min(len(names), _ROWS)) + 2,
        column_config=_column_config(),
        alt=_("All heads, with the role of each"),
    )


def _about_table(report: RolesReport) -> str:
    """Return how the table is sorted, and what its signs mean."""
    n_none = sum(each.farthest is None for each in report.heads)
    by_role = _("Heads: {all}, sorted by how far the role is above the simple rule.")
    by_cost = _(
        "Heads: {all}, sorted by what is lost without them, then by how far the role is above "
        "the simple rule. “–”: nothing is lost; grey: it may be chance."
    )
    none = n_(
        "{n} head has no role that beats its rule: “none”.",
        "{n} heads have no role that beats its rule: “none”.",
        n_none,
    )
    said = [by_role if report.effects is None else by_cost, none if n_none else ""]
    return joined(said).format(all=number(len(report.heads)), n=number(n_none))


def _take(ticked: Sequence[str]) -> None:
    """Take over the head whose row was ticked."""
    for name in ticked:
        session.choose({SCORED: name})


def _columns(
    report: RolesReport,
) -> tuple[dict[str, Sequence[object]], Mapping[str, Sequence[bool]]]:
    """Return what stands in the rows, and which cells prove nothing."""
    heads, effects = report.heads, [_effect(report, each) for each in report.heads]
    scores = [each.farthest and each.scores[each.farthest] for each in heads]
    measured: dict[str, Sequence[Difference | None]] = {
        SENTENCES: [None if each is None else each.exact_match for each in effects],
        PRONOUNS: [None if each is None else each.pronoun for each in effects],
    }
    changes = {name: found for name, found in measured.items() if any(found)}
    lost = {name: [each and -100 * each.change for each in of] for name, of in changes.items()}
    columns: dict[str, Sequence[object]] = {
        "head": [notes.site_and_head(each.head) for each in heads],
        ROLE: [role_names.farthest(each) for each in heads],
        SHARE: [score and 100 * score.value for score in scores],
        RULE: [score and 100 * score.baseline for score in scores],
        **lost,
    }
    unsure = {
        name: [each is not None and not each.is_sure for each in found]
        for name, found in changes.items()
    }
    return columns, {ROLE: [each.farthest is None for each in heads]} | unsure


def _writers() -> dict[str, Callable[[float], str]]:
    """Return what writes the numbers of the columns."""
    share = partial(percent_of_100, decimals=0)
    return {SHARE: share, RULE: share, SENTENCES: _points, PRONOUNS: _points}


def _points(lost: float) -> str:
    return number(lost, 1) if abs(lost) >= 0.05 else "–"


def _column_config() -> dict[str, ColumnConfig | None]:
    """Return how the columns are written."""
    numeric, text = st.column_config.NumberColumn, st.column_config.TextColumn
    share = _(
        "Share of the rows whose largest weight is there: of the roles that the head can "
        "have, the one that differs most from the best rule."
    )
    rule = _("The same share for the best rule without a model.")
    lost = _("Percentage points that are lost when this head is silenced; grey: maybe none.")
    return {
        "head": text(_("head"), width=250),
        ROLE: text(_("looks most often at"), width=190),
        SHARE: numeric(_("how often"), width=90, help=share),
        RULE: numeric(_("a simple rule"), width=110, help=rule),
        SENTENCES: numeric(_("points of exact match lost"), width=190, help=lost),
        PRONOUNS: numeric(_("points of right pronouns lost"), width=200, help=lost),
    }
