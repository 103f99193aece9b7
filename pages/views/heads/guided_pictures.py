"""The pictures of the view "guided": maps side by side, and a table of what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.analysis.effects.counterparts import share_interval
from core.analysis.effects.head_effects import HeadEffect
from core.analysis.heads.findings import PronounHead
from core.evaluate.intervals import Difference
from core.heads import Head
from core.inspection import Inspection
from pages.frame import notes
from pages.frame.selection import key_axis, query_axis, query_tokens
from pages.frame.text import ATTENTIONS, _, percent
from viz.plane.matrices import Matrices, Matrix


@dataclass(frozen=True, slots=True)
class Measured:
    """One row of the table."""

    run: str
    """Its name."""
    head: PronounHead
    effect: HeadEffect | None
    """What silencing it costs, where every head was measured."""
    why: Sequence[str]
    """Why it is in the table."""


def maps(shown: Sequence[tuple[str, Inspection, Head]], pronouns: Sequence[str]) -> Matrices:
    """Return one map for each run: its head's, the pronouns' rows underlined."""
    return Matrices(panels=[_map(*each, pronouns) for each in shown])


def _map(name: str, inspection: Inspection, head: Head, pronouns: Sequence[str]) -> Matrix:
    kind = head.kind
    tokens = query_tokens(inspection, kind)
    underlined = [at for at, token in enumerate(tokens) if token.text.lower() in pronouns]
    return Matrix(
        title=f"{name}: {notes.site_and_head(head)}",
        values=inspection.weights_of(head),
        visible=inspection.attention[head.site].visible_QK,
        rows=replace(query_axis(inspection, kind), differs=underlined),
        columns=key_axis(inspection, kind),
        value_name=_("weight"),
    )


def table_rows(rows: Sequence[Measured]) -> list[Mapping[str, object]]:
    """Return what stands in the table, by the name of its column."""
    measured = any(row.effect is not None for row in rows)
    return [_written(row, measured=measured) for row in rows]


def table_columns(rows: Sequence[Measured]) -> Mapping[str, list[object]]:
    """Return the numbers of the table."""
    heads = [row.head for row in rows]
    exact = [None if row.effect is None else row.effect.exact_match for row in rows]
    return {
        "run": [row.run for row in rows],
        "site": [str(each.head.site) for each in heads],
        "head": [each.head.index for each in heads],
        "which": [", ".join(row.why) for row in rows],
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
        _("attention"): ATTENTIONS[head.head.kind],
        _("layer"): head.head.layer,
        _("head"): head.head.index,
        _("which"): ", ".join(row.why),
        _("on antecedent"): _share(head.score, head.n),
        _("best rule"): percent(head.baseline),
        _("n"): head.n,
        _("pronouns right, silenced"): _("{before} → {after}").format(
            before=percent(head.accuracy), after=_share(head.silenced_accuracy, head.n)
        ),
    }
    if measured:
        found = row.effect
        written[_("exact match, silenced")] = (
            _("not measured") if found is None else change(found.exact_match)
        )
    return written


def _share(share: float, n: int) -> str:
    low, high = share_interval(share, n)
    return f"{percent(share)} [{100 * low:.1f}, {100 * high:.1f}]"


def change(found: Difference) -> str:
    """Return a share before and after, and the 95 % interval of what changed, in points."""
    # What stands in brackets, or counts, is not broken.
    text = _("{before} → {after} [{low:+.1f},\u00a0{high:+.1f}], n\u00a0=\u00a0{n}").format(
        before=percent(found.before),
        after=percent(found.after),
        low=100 * found.low,
        high=100 * found.high,
        n=found.n,
    )
    return text.replace("-", "−")
