"""What becomes of one sentence when heads are silenced."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from core.analysis.effects.interventions import Intervention, Kind, Outcome, average_mixed, outcome
from core.heads import Head
from core.runs.run import Run
from pages.frame import cached, lesson
from pages.frame.charts import chart
from pages.frame.opening import Opened
from pages.frame.text import _
from pages.views.heads.override_words import marked
from viz.charts.number_tables import three_digits
from viz.charts.step_chances import step_chances

Instead = Literal["silence", "uniform", "average"]
INSTEAD: tuple[Instead, ...] = ("silence", "uniform", "average")
_KINDS: dict[Instead, Kind] = {"silence": "silence", "uniform": "uniform", "average": "freeze"}


@dataclass(frozen=True, slots=True)
class Tried:
    """A sentence before and after something was done to some heads."""

    before: Outcome
    """Fed its own translation."""
    after: Outcome
    """Fed the same."""
    loss_before: float
    """Of the true target, or of the own translation where there is none."""
    loss_after: float
    true_target: bool
    """Whether the task knows it."""


def tried(opened: Opened, heads: Sequence[Head], instead: Instead) -> Tried:
    """Translate the sentence as it is, and with these heads changed.

    Raises:
        RunError: The averages are asked for, and there are no held-out sentences to average.
    """
    own = opened.inspection.translation
    target = cached.of_run(_true_target, opened.path, own.source)
    changed_heads = tuple(heads)

    def made(fed: tuple[int, ...], changed: tuple[Head, ...], ended: bool) -> Outcome:
        return cached.of_run(_outcome, opened.path, opened.sentence, fed, instead, changed, ended)

    fed, ended = own.target_ids, own.finished
    before, after = made(fed, (), ended), made(fed, changed_heads, ended)
    if target:
        fed, ended = target, True
    return Tried(
        before=before,
        after=after,
        loss_before=made(fed, (), ended).loss,
        loss_after=made(fed, changed_heads, ended).loss,
        true_target=bool(target),
    )


def _true_target(run: Run, source: str) -> tuple[int, ...]:
    task = cached.task(run.path)
    known = task.reference(source) if task else None
    return tuple(run.tokenizer.encode(known).ids) if known else ()


def _outcome(
    run: Run,
    sentence: str,
    fed: tuple[int, ...],
    instead: Instead,
    heads: tuple[Head, ...],
    ended: bool,
) -> Outcome:
    if not heads:
        return outcome(run, sentence, fed, None, ended=ended)
    averages = cached.of_run(average_mixed, run.path) if instead == "average" else None
    probe = Intervention(_KINDS[instead], frozenset(heads)).probe(averages)
    return outcome(run, sentence, fed, probe, ended=ended)


def say(found: Tried) -> None:
    """Say what the translation and the loss become."""
    st.markdown(_translations(found))
    st.caption(_loss(found))


def draw(found: Tried) -> None:
    """Draw the probabilities of the model's own words."""
    own, now = found.before.reference, found.after.reference
    words = [each.token.text for each in own]
    texts = {
        "before": _("as it is"),
        "after": _("changed"),
        "word": _("word"),
        "step": _("step"),
        "probability": _("probability"),
        "best": _("most probable now"),
        "title": _("Probability of the model’s own words"),
    }
    before, after = ([each.probability for each in side] for side in (own, now))
    best = [each.best.text for each in now]
    chart(step_chances(words, before, after, best, texts))
    lesson.numbers(
        "silence_sentence",
        {
            "step": range(len(words)),
            "word": words,
            "before": before,
            "after": after,
            "most probable after": best,
            "its probability": [each.best_probability for each in now],
        },
    )


def _translations(found: Tried) -> str:
    texts = marked(found.before.translation.text, found.after.translation.text)
    same = found.before.translation.target_ids == found.after.translation.target_ids
    before = _("before: {text}").format(text=texts[0])
    if same:
        return before + "  \n" + _("after: the same, word by word")
    return before + "  \n" + _("after: {text}").format(text=texts[1])


def _loss(found: Tried) -> str:
    whose = _("the true target") if found.true_target else _("the model’s own translation")
    return _("Loss of {whose}: {before} → {after} nats per token.").format(
        whose=whose,
        before=three_digits(found.loss_before),
        after=three_digits(found.loss_after),
    )
