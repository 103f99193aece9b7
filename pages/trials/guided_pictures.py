"""The pictures of the view "guided": maps side by side, and a table of what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from core.analysis.counterparts import share_interval
from core.analysis.findings import PronounHead
from core.analysis.head_effects import HeadEffect
from core.analysis.intervals import Difference
from core.inspection import Inspection
from pages.explorer.looked import (
    key_labels,
    query_labels,
    query_tokens,
    side_of_keys,
    side_of_queries,
)
from pages.shared import notes
from pages.shared.text import _, percent
from viz.frames import runs_table
from viz.matrices_view import Axis, Matrices, Matrix


@dataclass(frozen=True, slots=True)
class Measured:
    """One row of the table."""

    run: str
    """Its name."""
    head: PronounHead
    effect: HeadEffect | None
    """What silencing it costs, where every head was measured."""


def maps(shown: Sequence[tuple[str, Inspection, PronounHead]], pronouns: Sequence[str]) -> Matrices:
    """Return one map for each run: its best head's, the pronouns' rows underlined."""
    return Matrices(panels=[_map(*each, pronouns) for each in shown])


def _map(name: str, inspection: Inspection, best: PronounHead, pronouns: Sequence[str]) -> Matrix:
    kind = best.site.attention
    attention = inspection.attention[best.site]
    tokens = query_tokens(inspection, kind)
    return Matrix(
        title=f"{name}: {notes.site_and_head(best.site, best.head)}",
        values=attention.weights_HQK[best.head],
        visible=attention.visible_QK,
        rows=Axis(
            name=_("query: the word that looks"),
            labels=query_labels(inspection, kind),
            side=side_of_queries(kind),
            differs=[at for at, token in enumerate(tokens) if token.text.lower() in pronouns],
        ),
        columns=Axis(
            name=_("key: the word looked at"),
            labels=key_labels(inspection, kind),
            side=side_of_keys(kind),
        ),
        value_name=_("weight"),
    )


def table(rows: Sequence[Measured]) -> None:
    """Show what was measured of the heads, one row for each."""
    measured = any(row.effect is not None for row in rows)
    st.dataframe(runs_table([_written(row, measured=measured) for row in rows]), hide_index=True)


def table_columns(rows: Sequence[Measured]) -> Mapping[str, list[object]]:
    """Return the numbers of the table."""
    heads = [row.head for row in rows]
    exact = [None if row.effect is None else row.effect.exact_match for row in rows]
    return {
        "run": [row.run for row in rows],
        "site": [str(head.site) for head in heads],
        "head": [head.head for head in heads],
        "score": [head.score for head in heads],
        "baseline": [head.baseline for head in heads],
        "n": [head.n for head in heads],
        "seed": [head.seed for head in heads],
        "pronouns_before": [head.accuracy for head in heads],
        "pronouns_silenced": [head.silenced_accuracy for head in heads],
        "exact_match_change": [None if each is None else each.change for each in exact],
        "exact_match_low": [None if each is None else each.low for each in exact],
        "exact_match_high": [None if each is None else each.high for each in exact],
    }


def _written(row: Measured, *, measured: bool) -> Mapping[str, object]:
    """Return what stands in a row; what silencing costs only where it was measured of any."""
    head = row.head
    written: dict[str, object] = {
        _("run"): row.run,
        _("head"): notes.site_and_head(head.site, head.head),
        _("on antecedent"): _share(head.score, head.n),
        _("best rule"): percent(head.baseline),
        _("n pronouns"): head.n,
        _("pronouns right"): percent(head.accuracy),
        _("right, head silenced"): _share(head.silenced_accuracy, head.n),
    }
    if measured:
        found = row.effect
        written[_("exact match, silenced")] = (
            _("not measured") if found is None else _change(found.exact_match)
        )
    return written


def _share(share: float, n: int) -> str:
    low, high = share_interval(share, n)
    return f"{percent(share)} [{100 * low:.1f}, {100 * high:.1f}]"


def _change(found: Difference) -> str:
    """Return a share before and after, and the interval of what changed, in points."""
    text = _("{before} → {after} [{low:+.1f}, {high:+.1f}], n = {n} sentences").format(
        before=percent(found.before),
        after=percent(found.after),
        low=100 * found.low,
        high=100 * found.high,
        n=found.n,
    )
    return text.replace("-", "−")
