"""The words of the view "guided": what silencing a head does in either run."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.analysis.effects.head_effects import HeadEffect
from core.analysis.effects.interventions import BeforeAfter
from core.analysis.effects.weight_shift import StepChange
from core.heads import Head
from core.inspection import Inspection
from core.runs.run import Run
from pages.frame import notes
from pages.frame.text import _, plain
from pages.views.heads.guided_pictures import Measured, change
from pages.views.heads.override_words import head_named, marked
from viz.charts.number_tables import three_digits


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of the two runs with what a head of it does."""

    name: str
    run: Run
    inspection: Inspection
    head: Head
    found: BeforeAfter
    """As it is, and with that head silenced."""
    changes: Sequence[StepChange]
    """Steps that change when it is."""


def said(side: Side) -> str:
    """Say what silencing a run's head changes, in this sentence and in those never seen."""
    how = _("guided") if side.run.settings.training.guide else _("free")
    before, after = (each.translation.text for each in (side.found.before, side.found.after))
    if side.found.same_text:
        result = _("the translation stays.")
    else:
        one, other = marked(before, after)
        result = _("{before} → {after}").format(before=one, after=other)
    text = _("**{name}** ({how}), without {where}: {result}")
    where = head_named(side.head)
    first = text.format(name=plain(side.name), how=how, where=where, result=result)
    effects = notes.stored(side.run)
    effect = None if effects is None else effects.of(side.head)
    return f"{first}  \n:small[{_steps(side.changes)} {_effect(effect)}]"


def measured(rows: Sequence[Measured]) -> str:
    """Say what the columns of the table are, and what they were measured on."""
    head = rows[0].head
    return _(
        "Click a row to see that head in both runs. “On antecedent”: in how many of n ambiguous "
        "pronouns of held-out sentences (seed {seed}) the head's largest weight lies on what they "
        "stand for. “Best” is the head with most of them, “needed most” the one without which most "
        "pronouns come out wrong. The best rule without a model: {rule}. In brackets: 95 % "
        "intervals; after an arrow, those of the change in points. Where a head looks is a "
        "hypothesis; what silencing it changes is the test."
    ).format(seed=head.seed, rule=_(head.baseline_name))


def _steps(changes: Sequence[StepChange]) -> str:
    """Say which token's probability changes most."""
    if not changes:
        return _("No probability changes by 0.01 or more.")
    most = max(changes, key=lambda each: abs(each.after - each.before))
    return _("Most changed: “{token}” {before} → {after}.").format(
        token=plain(most.token.text),
        before=three_digits(most.before),
        after=three_digits(most.after),
    )


def _effect(effect: HeadEffect | None) -> str:
    """Say what silencing the head costs on sentences never seen."""
    if effect is None:
        return _("What it costs on held-out sentences was not measured: see “silence”.")
    if effect.changes_nothing:
        text = _("On held-out sentences no change was found: {figures}.")
    else:
        text = _("On held-out sentences: {figures}.")
    figures = [_("exact match {change}").format(change=change(effect.exact_match))]
    if effect.pronoun is not None:
        figures.append(_("pronouns right {change}").format(change=change(effect.pronoun)))
    return text.format(figures="; ".join(figures))
