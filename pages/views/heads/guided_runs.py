"""A free and a guided run of the same task, and what silencing a head does in either."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.analysis.effects.counterparts import counterparts, silenced_outcome
from core.analysis.effects.head_effects import HeadEffect
from core.analysis.effects.interventions import BeforeAfter, first_changed
from core.analysis.effects.weight_shift import StepChange, most_changed, silenced_changes
from core.analysis.heads.findings import best_pronoun_head
from core.evaluate.intervals import Difference
from core.heads import Head
from core.inspection import Inspection
from core.model import Silence
from core.runs.run import Run, RunError, RunSettings
from pages.frame import address, amounts, cached, notes, session
from pages.frame.language import _, number, percent, plain
from pages.frame.listed import joined, labelled
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.selection import key_tokens, query_tokens
from pages.views.heads import guided_table
from pages.views.heads.translations import both_marked

_BOTH = 2
"""Runs that are compared."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A free and a guided run of the same task."""

    opened: Opened
    """What is looked at, in one of the two."""
    runs: Mapping[str, Run]
    """By name, the free one first."""
    said: str = ""
    """That they are shown in the place of the chosen run, and why."""
    opens: str = ""
    """The name of the one that can be opened then."""


def both(opened: Opened) -> Pair | None:
    """Return the free and the guided run.

    A run that was trained once makes room for a pair of the same task, which is said; where there
    is none, that is said and nothing returned.
    """
    paths = cached.run_paths()
    settings = _settings(paths)
    own = next(name for name, path in paths.items() if path == opened.path)
    said = opens = ""
    others = counterparts(opened.run.settings, settings)
    if not others:
        having = [name for name, each in settings.items() if counterparts(each, settings)]
        if not having:
            text = _("{own} was trained once, so there is no other run to compare its heads with.")
            st.info(text.format(own=plain(own)))
            return None
        once, own = own, having[0]
        others = counterparts(settings[own], settings)
        typed, opened = opened.sentence, _opened_instead(opened, paths[own])
        said, opens = _instead(once, own, others[0]), own
        if opened.sentence != typed:
            said = joined([said, _other_sentence(own, opened.sentence)])
    free, guided = (others[0], own) if opened.run.settings.training.guide else (own, others[0])
    found = {}
    for name in (free, guided):
        try:
            found[name] = cached.loaded(paths[name])
        except RunError as error:
            st.error(plain(explained(error)))
    return Pair(opened, found, said, opens)


def _opened_instead(opened: Opened, path: Path) -> Opened:
    """Return another run with the sentence, or with its own first example if it lacks a word."""
    run, task, sentence = cached.loaded(path), cached.task(path), opened.sentence
    inspection = cached.inspected(path, sentence, whole_words=False)
    if inspection.unknown_words and task is not None and task.examples:
        sentence = task.examples[0].source
        inspection = cached.inspected(path, sentence, whole_words=False)
    return Opened(path, run, task, sentence, inspection)


def _instead(once: str, own: str, other: str) -> str:
    """Say which pair is shown in the place of a run that was trained once."""
    return _(
        "Shown are **{own}** and **{other}**: **{once}** was trained in one way only, so there is "
        "nothing to compare it with."
    ).format(once=plain(once), own=plain(own), other=plain(other))


def _other_sentence(own: str, sentence: str) -> str:
    """Say that another sentence is shown than the one that was typed, and why."""
    text = _("**{own}** has never seen some of your words, so the sentence is: “{sentence}”")
    return text.format(own=plain(own), sentence=plain(sentence))


def offer(pair: Pair) -> None:
    """Offer to open the pair that is shown in the place of the chosen run."""
    if pair.opens:
        st.button(
            _("Open {name}").format(name=plain(pair.opens)),
            key="open_counterpart",
            type="tertiary",
            on_click=address.choose_above,
            args=({session.MODEL: pair.opens},),
        )


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
            st.info(labelled(plain(name), notes.no_evaluation()))
            return None
        chosen = best.head
    inspection = cached.inspected(run.path, opened.sentence, whole_words=False)
    found = cached.of_run(silenced_outcome, run.path, opened.sentence, chosen)
    changes = cached.of_run(silenced_changes, run.path, opened.sentence, chosen)
    return Side(name, run, inspection, chosen, found, changes)


def seen(sides: Sequence[Side]) -> str:
    """Say in Markdown what silencing its head changes in each run, for this sentence."""
    heads = [None, *(side.head for side in sides)]
    return joined(
        _seen(side, again=side.head == before) for before, side in zip(heads, sides, strict=False)
    )


def instead_of(opened: Opened, sides: Sequence[Side]) -> str:
    """Return an example that silencing changes in one of the runs, where this one stays in all."""
    if opened.task is None or not all(side.found.same_text for side in sides):
        return ""
    others = tuple(each.source for each in opened.task.examples if each.source != opened.sentence)
    found = (
        cached.of_run(_first_silenced, side.run.path, others, side.head) for side in reversed(sides)
    )
    return next(filter(None, found), "")


def said(side: Side) -> str:
    """Say what a run writes without its head."""
    one, other = both_marked(side.found.before, side.found.after, side.run)
    name = _("**{name}** ({how})").format(name=plain(side.name), how=_how(side))
    if side.found.same_text:
        text = _("With the head and without it: {text}")
        return f"{name}  \n{text.format(text=one)}"
    lines = _("With the head: {text}"), _("Without it: {text}")
    return "  \n".join([name, lines[0].format(text=one), lines[1].format(text=other)])


def costs(side: Side) -> str:
    """Say what silencing its head costs a run on sentences never seen."""
    effects = notes.stored(side.run)
    effect = None if effects is None else effects.of(side.head)
    return _effect(effect)


def looks(sides: Sequence[Side], pronouns: Sequence[str]) -> str:
    """Say where the first pronoun looks most in either run; empty where that cannot be said."""
    found: dict[str, str] = {}
    for place, side in enumerate(sides):
        tokens = query_tokens(side.inspection, side.head.kind)
        rows = [at for at, token in enumerate(tokens) if token.text.lower() in pronouns]
        if not rows:
            return ""
        weights_K = side.inspection.weights_of(side.head)[rows[0]]
        key = key_tokens(side.inspection, side.head.kind)[int(weights_K.argmax())]
        found |= {"word": plain(tokens[rows[0]].text), f"key_{place}": plain(key.text)}
        found |= {f"how_{place}": _how(side), f"weight_{place}": number(float(weights_K.max()), 2)}
    if len(sides) != _BOTH:
        return ""
    return _(
        "“{word}” looks most at **{key_0}** ({weight_0}) in the {how_0} model, at **{key_1}** "
        "({weight_1}) in the {how_1} one."
    ).format(**found)


def _first_silenced(run: Run, sentences: tuple[str, ...], head: Head) -> str:
    return first_changed(run, sentences, Silence.of([head]))


def _how(side: Side) -> str:
    return _("guided") if side.run.settings.training.guide else _("free")


def _seen(side: Side, *, again: bool) -> str:
    """Say it of one run; without the head's name where that has just been said."""
    same = side.found.same_text
    if again:
        stays = _("The {how} model translates **as before**{most}.")
        changes = _("The {how} model translates **differently**{most}.")
    else:
        stays = _("Without {where} the {how} model translates **as before**{most}.")
        changes = _("Without {where} the {how} model translates **differently**{most}.")
    return (stays if same else changes).format(
        where=notes.within_sentence(side.head),
        how=_how(side),
        most=_most(side.changes),
    )


def _most(changes: Sequence[StepChange]) -> str:
    """Say which token's probability changes most; nothing where none does."""
    if not changes:
        return ""
    most = most_changed(changes)
    return _(" (the chance of **{token}**: {before} → **{after}**)").format(
        token=plain(most.token.text), before=percent(most.before), after=percent(most.after)
    )


def _effect(effect: HeadEffect | None) -> str:
    """Say what silencing the head costs on sentences never seen."""
    if effect is None:
        return _("What it costs on held-out sentences was not measured: see “silence”.")
    if effect.changes_nothing:
        text = _("Silenced on held-out sentences, no change was found: {figures}.")
    else:
        text = _("Silenced on held-out sentences: {figures}.")
    # Pronouns are counted in the table below, on more of them.
    exact = _with_n(effect.exact_match, amounts.sentences)
    return text.format(figures=_("exact match {change}").format(change=exact))


def _with_n(found: Difference, counted: Callable[[int], str]) -> str:
    return _("{change} (of {n})").format(change=guided_table.change(found), n=counted(found.n))
