"""What silencing each head costs on many sentences: measured while the page stays usable."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import streamlit as st

from core.evaluate.intervals import Difference
from core.heads import Head
from core.runs.run import Run
from core.studies.effects import measuring
from core.studies.effects.head_effects import (
    N_SENTENCES,
    Figure,
    HeadEffects,
    costliest_first,
    figure_of,
)
from pages.frame import measured_on, notes
from pages.frame.language import _, joined, listed, n_, number, percent, percent_of_100
from pages.views.heads import head_jobs
from pages.views.heads.silence_grid import POINTS
from viz.charts.frames import runs_table, written

START = "silence_measure"
"""Key of the button."""
MOST_NAMED = 8
_ROW, _ROWS = 35, 10


def measure(run: Run, effects: HeadEffects | None) -> None:
    """Offer to measure where nothing is measured, or on few sentences; show how far it is.

    Args:
        run: The run.
        effects: What is stored; None where nothing is.
    """
    enough = effects is not None and (effects.n >= N_SENTENCES or effects.all_there_are)
    label = _("Measure all heads on {sentences}")
    if effects is not None or measuring.MEASURING.status(run.path).state != "idle":
        label = _("Measure again on {sentences}")
    on = measured_on.sentences(run, measured_on.most(run, N_SENTENCES))
    head_jobs.offer(
        run,
        measuring.MEASURING,
        lambda: measuring.start(run.path),
        key=START,
        label=label.format(sentences=on),
        enough=enough,
    )


def of_one_head(run: Run, effects: HeadEffects, head: Head) -> str:
    """Say what silencing one head costs on the sentences that a run is measured on."""
    found = effects.of(head)
    if found.changes_nothing:
        said = _("On {sentences} no change was found when it is silenced: {figures}.")
    else:
        said = _("On {sentences}: {figures}.")
    parts = [_("exact match {change}").format(change=_before_after(found.exact_match))]
    if found.pronoun is not None:
        text = _("right pronouns {change} (n = {n}, other sentences)")
        parts.append(text.format(change=_before_after(found.pronoun), n=number(found.pronoun.n)))
    if found.loss.is_sure:
        text = _("loss {before} → {after} nats per token")
        before, after = number(found.loss.before), number(found.loss.after)
        parts.append(text.format(before=before, after=after))
    on = measured_on.sentences(run, effects.n)
    return f":small[{said.format(sentences=on, figures=listed(parts))}]"


def table(run: Run, effects: HeadEffects, by: Figure) -> None:
    """Tabulate every head, the one that costs most first, with 95 % confidence intervals."""
    st.markdown(_summary(effects))
    shares, names = by != "loss", {"attention": _("attention"), "layer": _("layer")}
    value = _two_decimals if shares else partial(number, padded=False)
    moved = partial(number, digits=1 if shares else None, padded=False, signed=True)
    rows = list(_rows(effects, by))
    st.dataframe(
        written(
            runs_table(rows),
            {"before": value, "after": value, "change": moved, "low": moved, "high": moved},
        ),
        hide_index=True,
        placeholder="",
        row_height=_ROW,
        height=_ROW * (1 + min(len(rows), _ROWS)) + 2,
        column_config={
            **names,
            "head": _("head"),
            "before": _("before"),
            "after": _("after"),
            "change": _("change, points") if shares else _("change, nats"),
            "low": _("95 % from"),
            "high": _("to"),
            "sure": _("sure"),
        },
        alt=_("What silencing each head changes, with confidence intervals"),
    )
    st.caption(
        _(
            "{sentences}. Intervals are 95 % and per head: of heads that change "
            "nothing, about one in twenty looks by chance as if it did."
        ).format(sentences=measured_on.drawn(run, effects.n, effects.seed))
    )


def named(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    if (more := len(names) - MOST_NAMED) > 0:
        text = n_("{names} and {n} more", "{names} and {n} more", more)
        return text.format(names=listed(names[:MOST_NAMED]), n=number(more))
    return listed(names)


def short(head: Head) -> str:
    """Return what a head is called among many."""
    return f"{_(head.kind.label)} {head.layer}.{head.index}"


def _rows(effects: HeadEffects, by: Figure) -> Iterator[Mapping[str, object]]:
    unit = 1 if by == "loss" else POINTS
    for each in costliest_first(effects, by):
        if (found := figure_of(each, by)) is not None:
            yield {
                "attention": _(each.head.kind.label),
                "layer": each.head.layer,
                "head": each.head.index,
                "before": found.before,
                "after": found.after,
                "change": unit * found.change,
                "low": unit * found.low,
                "high": unit * found.high,
                "sure": "✓" if found.is_sure else "",
                "n": found.n,
            }


def _two_decimals(share: float) -> str:
    return percent_of_100(100 * share, 2)


def _summary(effects: HeadEffects) -> str:
    """Say which head costs most, and which change nothing."""
    worst = costliest_first(effects, "exact_match")[0]
    without = [each for each in effects.heads if each.changes_nothing]
    said = []
    if worst.exact_match.is_sure:
        text = _("{where} costs most when it is silenced: exact match {change}.")
        where = notes.site_and_head(worst.head)
        said.append(text.format(where=where, change=_shares(worst.exact_match)))
    else:
        said.append(_("No head alone was found to cost exact match when it is silenced."))
    if without:
        text = n_(
            "For {n} of {of} head no figure was found to change (layer.head): {which}.",
            "For {n} of {of} heads no figure was found to change (layer.head): {which}.",
            len(effects.heads),
        )
        which = named([short(each.head) for each in without])
        n, of = number(len(without)), number(len(effects.heads))
        said.append(text.format(n=n, of=of, which=which))
    return joined(said)


def _shares(found: Difference) -> str:
    return _("{before} → {after} (95\u00a0%: {low} to {high} points)").format(
        before=percent(found.before),
        after=percent(found.after),
        low=number(POINTS * found.low),
        high=number(POINTS * found.high),
    )


def _before_after(found: Difference) -> str:
    shares = {"before": percent(found.before), "after": percent(found.after)}
    return _("{before} → {after}").format(**shares)
