"""What becomes of one sentence when heads are changed."""

from collections.abc import Iterator, Mapping, Sequence

import streamlit as st

from core.heads import Head
from core.runs.run import Run, RunError
from core.studies.effects.ablation import (
    SEED,
    Ablated,
    Averages,
    Intervention,
    Kind,
    ablate_sentence,
    average_mixed,
    averaged_over,
    first_changed,
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


def try_out(opened: Opened, heads: Sequence[Head], instead: str) -> Ablated | None:
    """Say what the translation becomes; None where it cannot be tried."""
    try:
        n = cached.of_run(averaged_over, opened.path) if instead == "average" else 0
        found = _ablated(opened, tuple(heads), instead)
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    st.markdown(_translations(found, opened.run, silenced=bool(heads)), unsafe_allow_html=True)
    if heads:
        with st.container(key=layout.DONE_SAID):
            st.caption(_what_is_done(opened.run, instead, n))
    return found


def seen(run: Run, found: Ablated, heads: Sequence[Head], instead: str) -> str:
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


def say_loss(run: Run, found: Ablated) -> None:
    """Say what the loss becomes."""
    own = _("the model’s own {translation}").format(translation=written(run))
    whose = own if not found.target else _("the true target")
    text = _("Loss of {whose}: {before} → {after} nats per token.")
    before, after = number(found.loss_before), number(found.loss_after)
    st.caption(text.format(whose=whose, before=before, after=after))


def instead_of(opened: Opened, found: Ablated, heads: Sequence[Head], instead: str) -> str:
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


def chances(found: Ablated) -> Chart:
    """Return the chart of the probabilities of the model's own words."""
    own, now = found.before.reference, found.after.reference
    before, after = ([each.probability for each in side] for side in (own, now))
    best = [each.best.text for each in now]
    return step_chances(
        [each.token.text for each in own], before, after, best, translated(DEFAULT_CHANCE_TEXTS)
    )


def numbers(found: Ablated) -> Iterator[Mapping[str, object]]:
    """Yield the probability of each word before and after, and the loss."""
    table = found.table()
    for row in zip(*table.values(), strict=True):
        yield {"what": "probability", **dict(zip(table, row, strict=True))}
    yield {"what": "loss", "before": found.loss_before, "after": found.loss_after}


def _ablated(opened: Opened, heads: tuple[Head, ...], instead: str) -> Ablated:
    """Translate the sentence as it is, and with these heads changed.

    Raises:
        RunError: The averages are asked for, and there are no held-out sentences to average.
    """
    target = cached.of_run(_reference, opened.path, opened.inspection.translation.source) or ""
    return cached.of_run(_of_sentence, opened.path, opened.sentence, instead, heads, target)


def _of_sentence(
    run: Run, sentence: str, instead: str, heads: tuple[Head, ...], target: str
) -> Ablated:
    averages = _averages(run, instead) if heads else None
    return ablate_sentence(run, sentence, INSTEAD[instead][1], heads, target, averages)


def _averages(run: Run, instead: str) -> Averages | None:
    return cached.of_run(average_mixed, run.path) if instead == "average" else None


def _reference(run: Run, source: str) -> str | None:
    task = cached.task(run.path)
    return task.reference(source) if task else None


def _first_changed(
    run: Run, sentences: tuple[str, ...], instead: str, heads: tuple[Head, ...]
) -> str:
    changed = Intervention(INSTEAD[instead][1], frozenset(heads))
    return first_changed(run, sentences, changed.probe(_averages(run, instead)))


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


def _most_changed(found: Ablated) -> str:
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


def _translations(found: Ablated, run: Run, *, silenced: bool) -> str:
    texts = both_marked(found.before, found.after, run)
    if not silenced:
        return _("Nothing is silenced yet: {text}").format(text=texts[0])
    before = _("before: {text}").format(text=texts[0])
    if found.same_text:
        return before + "  \n" + _("after: the same")
    return before + "  \n" + _("after: {text}").format(text=texts[1])
