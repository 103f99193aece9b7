"""A free and a guided run of the same task, and what silencing a head does in either."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.analysis.effects.counterparts import counterparts, silenced_outcome
from core.analysis.effects.head_effects import HeadEffect
from core.analysis.effects.interventions import BeforeAfter
from core.analysis.effects.weight_shift import StepChange, most_changed, silenced_changes
from core.analysis.heads.findings import best_pronoun_head
from core.heads import Head
from core.inspection import Inspection
from core.runs.run import Run, RunError, RunSettings
from pages.frame import address, cached, notes, session
from pages.frame.language import _, number, plain
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.typography import marked, typeset
from pages.views.heads import guided_table


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


def both(opened: Opened) -> dict[str, Run] | None:
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
        if having:
            st.button(
                _("Open {name}").format(name=plain(having[0])),
                key="open_counterpart",
                on_click=address.choose_above,
                args=({session.MODEL: having[0]},),
            )
        return None
    free, guided = (others[0], own) if mine.training.guide else (own, others[0])
    found = {}
    for name in (free, guided):
        try:
            found[name] = cached.loaded(paths[name])
        except RunError as error:
            st.error(plain(explained(error)))
    return found


def _settings(paths: Mapping[str, Path]) -> dict[str, RunSettings]:
    found = {}
    for name, path in paths.items():
        try:
            found[name] = cached.settings(path)
        except RunError:
            continue
    return found


def side_of(opened: Opened, name: str, run: Run, chosen: Head | None) -> Side | None:
    """Return what is shown of a run; where it cannot be, say why and return nothing."""
    if chosen is None:
        best = best_pronoun_head(run)
        if best is None:
            st.info(f"{plain(name)}: {notes.no_evaluation()}")
            return None
        chosen = best.head
    inspection = cached.inspected(run.path, opened.sentence, whole_words=False)
    found = cached.of_run(silenced_outcome, run.path, opened.sentence, chosen)
    changes = cached.of_run(silenced_changes, run.path, opened.sentence, chosen)
    return Side(name, run, inspection, chosen, found, changes)


def said(side: Side) -> str:
    """Say what silencing a run's head changes, in this sentence and in those never seen."""
    how = _("guided") if side.run.settings.training.guide else _("free")
    before, after = (
        typeset(each.translation.text, side.run) for each in (side.found.before, side.found.after)
    )
    if side.found.same_text:
        result = _("the translation stays.")
    else:
        one, other = marked(before, after)
        result = _("{before} → {after}").format(before=one, after=other)
    text = _("**{name}** ({how}), without {where}: {result}")
    where = notes.within_sentence(side.head)
    first = text.format(name=plain(side.name), how=how, where=where, result=result)
    effects = notes.stored(side.run)
    effect = None if effects is None else effects.of(side.head)
    return f"{first}  \n:small[{_steps(side.changes)} {_effect(effect)}]"


def _steps(changes: Sequence[StepChange]) -> str:
    """Say which token's probability changes most."""
    if not changes:
        return _("No probability changes by 0.01 or more.")
    most = most_changed(changes)
    return _("Most changed: “{token}” {before} → {after}.").format(
        token=plain(most.token.text), before=number(most.before), after=number(most.after)
    )


def _effect(effect: HeadEffect | None) -> str:
    """Say what silencing the head costs on sentences never seen."""
    if effect is None:
        return _("What it costs on held-out sentences was not measured: see “silence”.")
    if effect.changes_nothing:
        text = _("On held-out sentences no change was found: {figures}.")
    else:
        text = _("On held-out sentences: {figures}.")
    figures = [_("exact match {change}").format(change=guided_table.change(effect.exact_match))]
    if effect.pronoun is not None:
        change = guided_table.change(effect.pronoun)
        figures.append(_("pronouns right {change}").format(change=change))
    return text.format(figures="; ".join(figures))
