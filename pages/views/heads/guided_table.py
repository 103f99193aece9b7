"""What was measured of a free and a guided run's heads: rows of a table, and the same exact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.analysis.effects.counterparts import share_interval
from core.analysis.effects.head_effects import HeadEffect
from core.analysis.heads.findings import (
    PronounHead,
    best_pronoun_head,
    most_needed_pronoun_head,
    pronoun_heads,
)
from core.evaluate.intervals import Difference
from core.heads import Head
from core.runs.run import Run
from pages.frame import notes
from pages.frame.language import N_, _, percent
from pages.frame.listed import listed


@dataclass(frozen=True, slots=True)
class Measured:
    """One row of the table."""

    run: str
    """Its name."""
    head: PronounHead
    effect: HeadEffect | None
    """What silencing it costs, where every head was measured."""
    why: Sequence[str]
    """Why it is in the table; marked for translation."""


def measured(name: str, run: Run, chosen: Head | None) -> list[Measured]:
    """Return the chosen head, the one that finds antecedents best, and the one needed most."""
    found = {each.head: each for each in pronoun_heads(run)}
    why: dict[Head, list[str]] = {}
    if chosen is not None and chosen in found:
        why[chosen] = [N_("shown")]
    for best, reason in (
        (best_pronoun_head(run), N_("best")),
        (most_needed_pronoun_head(run), N_("needed most")),
    ):
        if best is not None:
            why.setdefault(best.head, []).append(reason)
    effects = notes.stored(run)
    return [
        Measured(name, found[head], None if effects is None else effects.of(head), reasons)
        for head, reasons in why.items()
    ]


def table(rows: Sequence[Measured]) -> list[Mapping[str, object]]:
    """Return what stands in the table, by the name of its column."""
    of_effects = any(row.effect is not None for row in rows)
    return [_written(row, of_effects=of_effects) for row in rows]


def column_names() -> Mapping[str, str]:
    """Return what people call the columns of the table."""
    return {
        "run": _("run"),
        "attention": _("attention"),
        "layer": _("layer"),
        "head": _("head"),
        "which": _("which"),
        "on_antecedent": _("on antecedent"),
        "best_rule": _("best rule"),
        "pronouns_right": _("pronouns right, silenced"),
        "exact_match": _("exact match, silenced"),
    }


def what_is_measured(rows: Sequence[Measured]) -> str:
    """Say what the columns of the table are, and what they were measured on."""
    head = rows[0].head
    return _(
        "Click a row to see that head in both runs. “On antecedent”: in how many of n ambiguous "
        "pronouns of held-out sentences (seed {seed}) the head's largest weight lies on what they "
        "stand for. “Best” is the head with most of them, “needed most” the one without which most "
        "pronouns come out wrong. The best rule without a model: {rule}. “As a table” has "
        "the 95 % intervals. Where a head looks is a "
        "hypothesis; what silencing it changes is a test."
    ).format(seed=head.seed, rule=_(head.baseline_name))


def numbers(rows: Sequence[Measured]) -> list[Mapping[str, object]]:
    """Return the numbers of the table, row by row."""
    return [_exact(row) for row in rows]


def scoring(rows: Sequence[Measured]) -> list[str]:
    """Return the lines of Python that compute the scores of the table as `scores`."""
    named = [(row.run, str(row.head.head)) for row in rows]
    return [
        f"named = {named}",
        "found = {(name, str(each.head)): each for name in runs "
        "for each in pronoun_heads(runs[name])}",
        "scores = [found[each].score for each in named]",
    ]


def _exact(row: Measured) -> Mapping[str, object]:
    head = row.head
    low, high = share_interval(head.score, head.n)
    silenced_low, silenced_high = share_interval(head.silenced_accuracy, head.n)
    found: dict[str, object] = {
        "what": "held_out",
        "run": row.run,
        "head": str(head.head),
        "which": ", ".join(row.why),
        "score": head.score,
        "score_low": low,
        "score_high": high,
        "baseline": head.baseline,
        "n": head.n,
        "seed": head.seed,
        "pronouns_before": head.accuracy,
        "pronouns_silenced": head.silenced_accuracy,
        "pronouns_silenced_low": silenced_low,
        "pronouns_silenced_high": silenced_high,
    }
    if row.effect is not None:
        exact = row.effect.exact_match
        found |= {
            "exact_match_change": exact.change,
            "exact_match_low": exact.low,
            "exact_match_high": exact.high,
        }
    return found


def _written(row: Measured, *, of_effects: bool) -> Mapping[str, object]:
    """Return what stands in a row; what silencing costs only where it was measured of any."""
    head = row.head
    written: dict[str, object] = {
        "run": row.run,
        "attention": _(head.head.kind.label),
        "layer": head.head.layer,
        "head": head.head.index,
        "which": listed(_(reason) for reason in row.why),
        "on_antecedent": percent(head.score),
        "best_rule": percent(head.baseline),
        "n": head.n,
        "pronouns_right": _("{before} → {after}").format(
            before=percent(head.accuracy), after=percent(head.silenced_accuracy)
        ),
    }
    if of_effects:
        found = row.effect
        written["exact_match"] = _("not measured") if found is None else change(found.exact_match)
    return written


def change(found: Difference) -> str:
    """Return a share before and after."""
    return _("{before} → {after}").format(before=percent(found.before), after=percent(found.after))
