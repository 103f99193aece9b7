"""What becomes of one sentence when heads are changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from core.decoding.sentence import Translation
from core.heads import Head
from core.model import Probe
from core.runs.run import Run, RunError
from core.studies.effects.ablation import (
    SEED,
    Intervention,
    Kind,
    Outcome,
    average_mixed,
    averaged_over,
    first_changed,
    outcome,
)
from core.tasks import Task
from pages.frame import cached, layout, measured_on, notes
from pages.frame.language import N_, _, number, percent, plain, translated
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.translations import written
from pages.views.heads import silence_measuring
from pages.views.heads.silence_grid import telling_head
from pages.views.heads.translations import both_marked
from viz.charts.curves import Chart
from viz.charts.step_chances import DEFAULT_CHANCE_TEXTS, step_chances

INSTEAD: Mapping[str, tuple[str, Kind]] = {
    "silence": (N_("silence"), "silence"),
    "uniform": (N_("uniform"), "uniform"),
    "average": (N_("average"), "freeze"),
}
"""What a changed head does, in the link → its label, and what an intervention calls it."""


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
    target: str | None
    """The true one; None where the task does not know it."""

    @property
    def same_text(self) -> bool:
        """Whether the translation stays as it is."""
        return self.before.translation.target_ids == self.after.translation.target_ids


def try_out(opened: Opened, heads: Sequence[Head], instead: str) -> Tried | None:
    """Say what the translation becomes; None where it cannot be tried."""
    try:
        n = cached.of_run(averaged_over, opened.path) if instead == "average" else 0
        found = _tried(opened, tuple(heads), instead)
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    st.markdown(_translations(found, opened.run, silenced=bool(heads)), unsafe_allow_html=True)
    if heads:
        with st.container(key=layout.DONE_SAID):
            st.caption(_what_is_done(opened.run, instead, n))
    return found


def seen(run: Run, found: Tried, heads: Sequence[Head], instead: str) -> str:
    """Say in Markdown whether what is written changes, and which of its words most."""
    if not heads:
        return _("No head is changed: click one in the grid.")
    if len(heads) == 1:
        where = notes.within_sentence(heads[0])
    else:
        where = silence_measuring.named([silence_measuring.short(head) for head in heads])
    how = {
        "silence": _("Without {where}"),
        "uniform": _("With {where} uniform"),
        "average": _("With {where} at the average"),
    }[instead].format(where=where)
    if found.same_text:
        text = _("{how} the {translation} **stays**; another head may take over. {most}")
    else:
        text = _("{how} the {translation} **changes**. {most}")
    return text.format(how=how, translation=written(run), most=_most_changed(found))


def say_loss(run: Run, found: Tried) -> None:
    """Say what the loss becomes."""
    own = _("the model’s own {translation}").format(translation=written(run))
    whose = own if found.target is None else _("the true target")
    text = _("Loss of {whose}: {before} → {after} nats per token.")
    before, after = number(found.loss_before), number(found.loss_after)
    st.caption(text.format(whose=whose, before=before, after=after))


def instead_of(opened: Opened, found: Tried, heads: Sequence[Head], instead: str) -> str:
    """Return the first of the task's examples that these heads change, where this one stays."""
    if not heads or not found.same_text or opened.task is None:
        return ""
    others = tuple(each.source for each in opened.task.examples if each.source != opened.sentence)
    return cached.of_run(_first_changed, opened.path, others, instead, tuple(heads))


def telling(run: Run, task: Task) -> str:
    """Return the first of a task's examples that the telling head changes, silenced; or nothing."""
    if not run.model.sites():
        return ""
    examples = tuple(each.source for each in task.examples)
    return cached.of_run(_first_changed, run.path, examples, "silence", (telling_head(run),))


def chances(found: Tried) -> Chart:
    """Return the chart of the probabilities of the model's own words."""
    own, now = found.before.reference, found.after.reference
    before, after = ([each.probability for each in side] for side in (own, now))
    best = [each.best.text for each in now]
    return step_chances(
        [each.token.text for each in own], before, after, best, translated(DEFAULT_CHANCE_TEXTS)
    )


def numbers(found: Tried) -> Iterator[Mapping[str, object]]:
    """Yield the probability of each word before and after, and the loss."""
    words = zip(found.before.reference, found.after.reference, strict=True)
    for step, (own, now) in enumerate(words):
        yield {
            "what": "probability",
            "step": step,
            "word": own.token.text,
            "before": own.probability,
            "after": now.probability,
            "most_probable_after": now.best.text,
            "its_probability": now.best_probability,
        }
    yield {"what": "loss", "before": found.loss_before, "after": found.loss_after}


def _tried(opened: Opened, heads: tuple[Head, ...], instead: str) -> Tried:
    """Translate the sentence as it is, and with these heads changed.

    Raises:
        RunError: The averages are asked for, and there are no held-out sentences to average.
    """
    own = opened.inspection.translation
    known = cached.of_run(_reference, opened.path, own.source)
    target = tuple(opened.run.tokenizer.encode(known).ids) if known else ()

    def made(target: tuple[int, ...], changed: tuple[Head, ...]) -> Outcome:
        return cached.of_run(_outcome, opened.path, opened.sentence, own, target, instead, changed)

    return Tried(
        before=made((), ()),
        after=made((), heads),
        loss_before=made(target, ()).loss,
        loss_after=made(target, heads).loss,
        target=known if target else None,
    )


def _reference(run: Run, source: str) -> str | None:
    task = cached.task(run.path)
    return task.reference(source) if task else None


def _outcome(
    run: Run,
    sentence: str,
    own: Translation,
    target: tuple[int, ...],
    instead: str,
    heads: tuple[Head, ...],
) -> Outcome:
    """Return what becomes of a sentence and its target; without one, of what the model writes."""
    written = own.target_ids[own.n_given :]
    ended = bool(target) or own.finished
    probe = _probe(run, instead, heads)
    return outcome(run, sentence, target or written, probe, ended=ended)


def _probe(run: Run, instead: str, heads: tuple[Head, ...]) -> Probe | None:
    if not heads:
        return None
    averages = cached.of_run(average_mixed, run.path) if instead == "average" else None
    return Intervention(INSTEAD[instead][1], frozenset(heads)).probe(averages)


def _first_changed(
    run: Run, sentences: tuple[str, ...], instead: str, heads: tuple[Head, ...]
) -> str:
    probe = _probe(run, instead, heads)
    return "" if probe is None else first_changed(run, sentences, probe)


def _what_is_done(run: Run, instead: str, n_averaged: int) -> str:
    """Say how heads are changed.

    Args:
        run: Whose heads they are.
        instead: What they do.
        n_averaged: Sentences over which averages are taken.
    """
    averaged = _("Average: a head always says its average over {sentences}.")
    return {
        "silence": _("Silent: what a head says is missing from the sum that Wᴼ makes."),
        "uniform": _("Uniform: a head looks at all that it may see alike."),
        "average": averaged.format(sentences=measured_on.drawn(run, n_averaged, SEED)),
    }[instead]


def _most_changed(found: Tried) -> str:
    """Say which of the model's own words gives way to another, or becomes more or less probable."""
    both = list(zip(found.before.reference, found.after.reference, strict=True))
    led = [pair for pair in both if pair[0].best.text == pair[0].token.text]
    fallen = [pair for pair in led if pair[1].best.text != pair[0].token.text]
    own, now = max(fallen or both, key=lambda pair: abs(pair[1].probability - pair[0].probability))
    before, after = percent(own.probability), percent(now.probability)
    word = plain(own.token.text)
    if before == after:
        return _("No probability of its words changes.")
    text = _("Most changed: **{word}** {before} → **{after}**.")
    if fallen:
        text = _("**{word}** gives way to **{other}**: {before} → **{after}**.")
    return text.format(word=word, before=before, after=after, other=plain(now.best.text))


def _translations(found: Tried, run: Run, *, silenced: bool) -> str:
    texts = both_marked(found.before, found.after, run)
    if not silenced:
        return _("Nothing is silenced yet: {text}").format(text=texts[0])
    before = _("before: {text}").format(text=texts[0])
    if found.same_text:
        return before + "  \n" + _("after: the same")
    return before + "  \n" + _("after: {text}").format(text=texts[1])
