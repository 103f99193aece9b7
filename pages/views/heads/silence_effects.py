"""What silencing each head costs on held-out sentences: words, and a table with intervals."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.effects.effect_maps import Figure, figure_of
from core.analysis.effects.head_effects import HeadEffect, HeadEffects
from core.analysis.effects.interventions import SEED
from core.evaluate.intervals import Difference
from core.heads import Head
from pages.frame import lesson
from pages.frame.notes import site_and_head
from pages.frame.text import ATTENTIONS, _, percent
from pages.views.heads.silence_cells import POINTS
from pages.views.heads.silence_sentence import Instead
from viz.charts.frames import runs_table
from viz.charts.number_tables import three_digits

MOST_NAMED = 8
_ROW, _ROWS = 35, 10


def what_is_done(heads: Sequence[Head], instead: Instead, n_averaged: int) -> str:
    """Say which heads are changed, and how.

    Args:
        heads: Those.
        instead: What they do.
        n_averaged: Held-out sentences over which averages are taken.
    """
    if not heads:
        return _("No head is changed: click one in the grid.")
    does = {
        "silence": _("silent: what it says is missing from the sum that Wᴼ makes"),
        "uniform": _("uniform: it looks at all that it may see alike"),
        "average": _(
            "average: it always says its average over {n} held-out sentences, seed {seed}"
        ).format(n=n_averaged, seed=SEED),
    }[instead]
    names = [site_and_head(heads[0])] if len(heads) == 1 else [_short(head) for head in heads]
    return f"{_named(names)} – {does}."


def one_head(effects: HeadEffects, head: Head) -> str:
    """Say what silencing one head costs on held-out sentences."""
    found = effects.of(head)
    if found.changes_nothing:
        said = _("On {n} held-out sentences no change was found when it is silenced: {figures}.")
    else:
        said = _("On {n} held-out sentences: {figures}.")
    parts = [_("exact match {change}").format(change=_shares(found.exact_match))]
    if found.pronoun is not None:
        text = _("right pronouns {change}, n = {n}")
        parts.append(text.format(change=_shares(found.pronoun), n=found.pronoun.n))
    if found.loss.is_sure:
        parts.append(_("loss {change}").format(change=_nats(found.loss)))
    return f":small[{said.format(n=effects.n, figures=', '.join(parts))}]"


def draw(effects: HeadEffects, by: Figure) -> None:
    """Tabulate every head, the one that costs most first, with 95 % confidence intervals."""
    rows = sorted(effects.heads, key=lambda each: _cost(each, by), reverse=True)
    st.markdown(_summary(effects))
    columns = _columns(rows, by)
    shares, changes = by != "loss", ("change", "low", "high")
    number = st.column_config.NumberColumn
    form, moved = ("percent", "%+.1f") if shares else ("%.3g", "%+.3g")
    shown = columns | {name: _in_points(columns[name]) for name in changes if shares}
    st.dataframe(
        runs_table(
            [dict(zip(shown, row, strict=True)) for row in zip(*shown.values(), strict=True)]
        ),
        hide_index=True,
        placeholder="",
        row_height=_ROW,
        height=_ROW * (1 + min(len(rows), _ROWS)) + 2,
        column_config={
            **{name: number(format=form) for name in ("before", "after")},
            "change": number(_("change, points") if shares else _("change, nats"), format=moved),
            "low": number(_("95 % from"), format=moved),
            "high": number(_("to"), format=moved),
        },
        alt=_("What silencing each head changes, with confidence intervals"),
    )
    st.caption(
        _(
            "{n} held-out sentences, seed {seed}. Intervals are 95 % and per head: of heads "
            "that change nothing, about one in twenty looks by chance as if it did."
        ).format(n=effects.n, seed=effects.seed)
    )
    lesson.numbers(f"silence_{by.replace(' ', '_')}", columns)


def _in_points(shares: Sequence[object]) -> list[float]:
    return [POINTS * share for share in shares if isinstance(share, float)]


def _columns(rows: Sequence[HeadEffect], by: Figure) -> dict[str, Sequence[object]]:
    found = [figure for each in rows if (figure := figure_of(each, by)) is not None]
    return {
        "attention": [ATTENTIONS[each.head.kind] for each in rows],
        "layer": [each.head.layer for each in rows],
        "head": [each.head.index for each in rows],
        "before": [each.before for each in found],
        "after": [each.after for each in found],
        "change": [each.change for each in found],
        "low": [each.low for each in found],
        "high": [each.high for each in found],
        "sure": ["✓" if each.is_sure else "" for each in found],
        "n": [each.n for each in found],
    }


def _summary(effects: HeadEffects) -> str:
    """Say which head costs most, and which change nothing."""
    worst = min(effects.heads, key=lambda each: each.exact_match.change)
    without = [each for each in effects.heads if each.changes_nothing]
    said = []
    if worst.exact_match.is_sure:
        text = _("{where} costs most when it is silenced: exact match {change}.")
        where = site_and_head(worst.head)
        said.append(text.format(where=where, change=_shares(worst.exact_match)))
    else:
        said.append(_("Of no head alone it was found that silencing it costs exact match."))
    if without:
        text = _("For {n} of {of} heads no change was found (layer.head): {which}.")
        which = _named([_short(each.head) for each in without])
        said.append(text.format(n=len(without), of=len(effects.heads), which=which))
    return " ".join(said)


def _cost(effect: HeadEffect, by: Figure) -> float:
    found = figure_of(effect, by)
    if found is None:
        return 0.0
    return found.change if by == "loss" else -found.change


def _shares(found: Difference) -> str:
    return _("{before} → {after} (95\u00a0%: {low} to {high} points)").format(
        before=percent(found.before),
        after=percent(found.after),
        low=three_digits(POINTS * found.low),
        high=three_digits(POINTS * found.high),
    )


def _nats(found: Difference) -> str:
    return _("{before} → {after} nats per token (change, 95\u00a0%: {low} to {high})").format(
        before=three_digits(found.before),
        after=three_digits(found.after),
        low=three_digits(found.low),
        high=three_digits(found.high),
    )


def _short(head: Head) -> str:
    return f"{ATTENTIONS[head.kind]} {head.layer}.{head.index}"


def _named(names: Sequence[str]) -> str:
    if (more := len(names) - MOST_NAMED) > 0:
        text = _("{names} and {n} more")
        return text.format(names=", ".join(names[:MOST_NAMED]), n=more)
    return ", ".join(names)
