"""The view "guided": the same task learned freely, and with one head told where to look."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.analysis.counterparts import counterparts, silenced_outcome
from core.analysis.findings import (
    PronounHead,
    best_pronoun_head,
    most_needed_pronoun_head,
    pronouns_among,
)
from core.analysis.head_effects import HeadEffect
from core.analysis.interventions import BeforeAfter
from core.analysis.moves import StepChange, silenced_changes
from core.inspection import Inspection
from core.model import Silence
from core.run import Run, RunError, RunSettings, read_settings
from core.training.loss import guided_loss
from pages.shared import cached, lesson, notes
from pages.shared.lesson import Explanation
from pages.shared.matrices import matrices
from pages.shared.opening import Opened
from pages.shared.text import _, plain
from pages.trials import doubts
from pages.trials.guided_pictures import Measured, maps, table, table_columns
from pages.trials.override_words import head_named, marked
from viz.number_tables import three_digits

_FORMULA = r"""
L = L_{\text{cross-entropy}} + \lambda \cdot
\frac{1}{|P|} \sum_{p \in P} -\log \alpha_{p,\,\text{antecedent}(p)}
\qquad (P\text{: the pronouns; } \alpha\text{: the guided head's weights})
"""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of the two runs with what its best head does."""

    name: str
    run: Run
    inspection: Inspection
    best: PronounHead
    found: BeforeAfter
    """As it is, and with that head silenced."""
    changes: Sequence[StepChange]
    """Steps that change when it is."""


def draw(opened: Opened) -> None:
    """Draw the best head of either run, and what silencing it costs."""
    names = _both(opened)
    if names is None:
        return
    sides = [side for name, path in names.items() if (side := _side(opened, name, path))]
    if not sides:
        return
    pronouns = pronouns_among(opened.task, opened.inspection.source_words)
    st.markdown("  \n".join(_said(side) for side in sides))
    matrices(
        maps([(side.name, side.inspection, side.best) for side in sides], pronouns),
        key="guided_maps",
    )
    doubts.draw((plain(side.name), _doubts(side)) for side in sides)
    rows = [
        Measured(side.name, head, _effect(side.run, head))
        for side in sides
        for head in _heads(side.run)
    ]
    table(rows)
    st.caption(_measured(rows, pronouns))
    lesson.numbers("guided", table_columns(rows))
    _explain()


def _both(opened: Opened) -> dict[str, Path] | None:
    """Return the free and the guided run; where there are no two, say so and return nothing."""
    paths = cached.run_paths()
    settings = _settings(paths)
    own = next(name for name, path in paths.items() if path == opened.path)
    mine = opened.run.settings
    others = counterparts(mine, settings)
    if not others:
        having = [name for name, each in settings.items() if counterparts(each, settings)]
        text = _(
            "{own} has no counterpart: a run of the same task and sizes of which one head was "
            "guided, or of which none was."
        )
        which = _("These runs have one: {names}.").format(names=", ".join(map(plain, having)))
        st.info(f"{text.format(own=plain(own))} {which}" if having else text.format(own=plain(own)))
        return None
    free, guided = (others[0], own) if mine.training.guide else (own, others[0])
    return {free: paths[free], guided: paths[guided]}


def _settings(paths: dict[str, Path]) -> dict[str, RunSettings]:
    found = {}
    for name, path in paths.items():
        try:
            found[name] = cached.of_files(read_settings, path)
        except RunError:
            continue
    return found


def _side(opened: Opened, name: str, path: Path) -> Side | None:
    """Return what is shown of a run; where it cannot be, say why and return nothing."""
    try:
        run = cached.loaded(path)
    except RunError as error:
        st.error(plain(str(error)))
        return None
    best = best_pronoun_head(run)
    if best is None:
        st.info(f"{plain(name)}: {notes.no_evaluation()}")
        return None
    inspection = cached.inspected(path, opened.sentence, whole_words=False)
    where = (opened.sentence, best.site, best.head)
    found = cached.of_run(silenced_outcome, path, *where)
    changes = cached.of_run(silenced_changes, path, *where)
    return Side(name, run, inspection, best, found, changes)


def _doubts(side: Side) -> list[str]:
    best = side.best
    return notes.about_map(side.run, side.inspection, best.site, best.head)


def _heads(run: Run) -> list[PronounHead]:
    """Return the head that finds antecedents best, and the one that is needed most."""
    both = (best_pronoun_head(run), most_needed_pronoun_head(run))
    return list(dict.fromkeys(head for head in both if head is not None))


def _effect(run: Run, head: PronounHead) -> HeadEffect | None:
    """Return what `python -m core heads` measured of a head; None where nobody has."""
    effects = notes.stored(run)
    return None if effects is None else effects.of(head.site, head.head)


def _said(side: Side) -> str:
    """Say what silencing the run's best head changes in this sentence."""
    how = _("guided") if side.run.settings.training.guide else _("free")
    where = head_named(side.best.site, side.best.head)
    before, after = (each.translation.text for each in (side.found.before, side.found.after))
    if side.found.same_text:
        result = _("the translation stays.")
    else:
        result = _("{before} → {after}").format(
            **dict(zip(("before", "after"), marked(before, after), strict=True))
        )
    return _("**{name}** ({how}), without {where}: {result} {steps}").format(
        name=plain(side.name),
        how=how,
        where=where,
        result=result,
        steps=_steps(side.changes),
    )


def _steps(changes: Sequence[StepChange]) -> str:
    """Say which token loses most."""
    if not changes:
        return _("No probability changes by 0.01 or more.")
    change = max(changes, key=lambda each: abs(each.after - each.before))
    return _("Most changed: “{token}” {before} → {after}.").format(
        token=plain(change.token.text),
        before=three_digits(change.before),
        after=three_digits(change.after),
    )


def _measured(rows: Sequence[Measured], pronouns: Sequence[str]) -> str:
    """Say what the columns are, and what they were measured on."""
    head = rows[0].head
    said = [
        _(
            "On antecedent: share of {n} ambiguous pronouns of held-out sentences (seed {seed}) "
            "for which the head's largest weight lies on what they stand for; best rule: {rule}. "
            "Brackets: 95 % confidence intervals. A map is a hypothesis, the last column the test."
        ).format(n=head.n, seed=head.seed, rule=_(head.baseline_name))
    ]
    if not pronouns:
        said.append(_("This sentence has no pronoun that could be ambiguous."))
    return " ".join(said)


def _explain() -> None:
    lesson.explained(
        Explanation(
            formula=_FORMULA,
            tries=(
                _(
                    "“tired” and “wide”: the guided head moves with the meaning of the sentence. "
                    "Does the best head of the free run?"
                ),
                _(
                    "Compare the rows of the table: both runs write all pronouns right. Only in "
                    "the guided one the head that looks at the antecedent is also needed."
                ),
                _("In the view “silence”, silence the head that the free run needs most."),
            ),
            code=(guided_loss, silenced_outcome, silenced_changes, Silence, best_pronoun_head),
        )
    )
