"""Watch a training: how it stands, how well it goes, and what the model says and does by now."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import streamlit as st

from core.batch import Pair
from core.decoding.sentence import SentenceError
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.metrics import answers, measure
from core.runs.checkpoint import stops
from core.runs.folder import TRAINING
from core.runs.metrics import measurements, read_record, read_rows
from core.runs.run import RunError, RunSettings
from core.studies.forward_pass import pass_of
from core.training import process
from core.training.loop import train
from core.training.trainer import EVALUATION_SAMPLES
from pages.frame import cached, clicks, components, links, measured_on, refusals, selection, session
from pages.frame.cached import Folder, RunAt
from pages.frame.charts import charts
from pages.frame.language import _, joined, n_, number, percent, plain, translated
from pages.frame.passes import PICTURE
from pages.frame.recipe import Recipe
from pages.frame.typography import typeset_target
from pages.frame.view import Shown
from pages.views.training import compare, heads_at_step, progress, start, state
from viz.charts.curves import Chart
from viz.charts.measurements import TEXTS, Rows
from viz.charts.training import loss_curves, quality_curves
from viz.component.standalone import Drawn

SECONDS_BETWEEN_WORDS, SECONDS_AT_REST = 1.0, 3.0
"""At rest, somebody may start it elsewhere: in another tab, or on the command line."""
SECONDS_BETWEEN_CHARTS, SECONDS_BETWEEN_LOOKS = 2.0, 2.5
"""Drawing, translating and looking at heads take time from the training beside them."""
N_SAMPLES, SEED = 5, 1
ROOM = 1.02
"""Where an axis ends, in planned steps."""
HEIGHT = 360
"""Of each chart, in pixels."""
N_CHARTS = 2
_NEWEST = 10
"""Number of newest batches over which the training loss is averaged."""
_BY_HEART = 3
"""Times the training loss from which on the held-out loss is called far above it."""


def draw(path: Path) -> Shown | None:
    """Show a run's training while it goes on, or as it ended.

    Args:
        path: The run's folder.
    """
    try:
        found, settings = cached.situation(path), cached.settings(path)
        at_rest = None if path.parent == cached.GALLERY else SECONDS_AT_REST
        words = SECONDS_BETWEEN_WORDS if found.alive else at_rest
        drawings = SECONDS_BETWEEN_CHARTS if found.alive else None
        looks = SECONDS_BETWEEN_LOOKS if found.alive else None
        steps, texts = settings.training.steps, _texts(mixed=settings.beside_own_pairs)
        has_snapshot = _has_snapshot(path)
        session.fragment("progress", words)(_progress)(path, settings, found, has_snapshot)
        if has_snapshot:
            beside, place = st.columns([1, 2], gap="medium")
            with place:
                sentence = heads_at_step.ask_sentence(path)
                session.fragment("pass", looks)(_pass)(path, sentence)
        else:
            beside = st.container()
        with beside:
            session.fragment("charts", drawings)(_charts)(path, steps, texts, stacked=has_snapshot)
        session.fragment("samples", looks)(_samples)(path, found.alive)
        query = {session.MODEL: cached.listed_name(path)}
        links.link(
            "training",
            _("Where its heads look, step by step"),
            ":material/history:",
            {start.VIEW: "look_back", **query},
        )
        links.link(
            "training",
            _("One training step in slow motion"),
            ":material/slow_motion_video:",
            {start.VIEW: "one_step", **query},
        )
    except RunError as error:
        state.say_problem(path, error)
        return None

    def chart_now(place: int) -> Chart:
        return charts_of(read_rows(path), steps, texts)[place]

    return Shown(
        name=f"{path.name}-training",
        title=_("The training of {run}").format(run=path.name),
        # While it goes on, the fragment that is drawn every second says it.
        seen="" if found.alive else _seen(path, settings),
        recipe=Recipe(measurements, Folder(path)),
        code=[train, measure, answers],
        # As they are when they are taken: they may have grown meanwhile.
        pictures=[Drawn(chart=partial(chart_now, place)) for place in range(N_CHARTS)],
        about={"step": str(found.step), "command": settings.command},
    )


def _seen(path: Path, settings: RunSettings) -> str:
    """Return how many held-out sentences are correct, and how far the losses have fallen."""
    rows: Rows = progress.rows(path)
    rewarded = [row for row in rows if "reward" in row]
    learned = rewarded or [row for row in rows if "loss" in row]
    if not learned:
        return _("Nothing is measured yet: the first figures come after ten steps.")
    first, last = learned[0], learned[-1]
    n = int(last["step"])
    text = n_(
        "In {last} step the training loss went from {before} to **{after}**.",
        "In {last} steps the training loss went from {before} to **{after}**.",
        n,
    )
    if rewarded:
        text = n_(
            "In {last} step the mean reward of the sampled sentences went from {before} to "
            "**{after}**.",
            "In {last} steps the mean reward of the sampled sentences went from {before} to "
            "**{after}**.",
            n,
        )
    name = "reward" if rewarded else "loss"
    # A batch is a small sample: one alone jumps.
    newest = [row[name] for row in learned[-_NEWEST:]]
    after = sum(newest) / len(newest)
    went = text.format(last=number(n), before=number(first[name]), after=number(after))
    held_out = [row["held_out_loss"] for row in rows if "held_out_loss" in row]
    of_held_out = [_of_held_out(held_out[-1], None if rewarded else after)] if held_out else []
    higher = progress.why_training_loss_is_higher(settings)
    return joined([*_correct(path), went, *of_held_out, higher])


def _correct(path: Path) -> Iterator[str]:
    """Say how many held-out sentences are correct, as the list of runs does."""
    record = cached.read(read_record, Folder(path))
    found = record.results
    if found and found.exact_match is not None:
        sentences = measured_on.of_results(record.settings, found)
        text = _("**{share}** of {sentences} are correct.")
        yield text.format(share=percent(found.exact_match), sentences=sentences)
        yield from compare.remarks(record)


def _of_held_out(loss: float, training_loss: float | None) -> str:
    """Say how high the held-out loss is, and whether far above that of training."""
    if training_loss is None or loss < _BY_HEART * training_loss:
        return _("The held-out loss is **{loss}**.").format(loss=number(loss))
    text = _(
        "The held-out loss is **{loss}**, {times} times as high: the model knows its training "
        "sentences partly by heart."
    )
    return text.format(loss=number(loss), times=number(loss / training_loss, significant=2))


def charts_of(rows: Rows, steps: int, texts: Mapping[str, str]) -> tuple[Chart, ...]:
    """Return the charts of what was measured, the loss first.

    Args:
        rows: What was measured.
        steps: Number of planned steps.
        texts: The charts' own, in the reader's language.
    """
    # Beyond the last step, whose dots would be cut in half there.
    end = ROOM * steps
    return (
        loss_curves(rows, end=end, height=HEIGHT, texts=texts),
        quality_curves(rows, end=end, height=HEIGHT, texts=texts),
    )


def _texts(*, mixed: bool) -> dict[str, str]:
    measured = n_(
        "quality on up to {n} held-out pair",
        "quality on up to {n} held-out pairs",
        EVALUATION_SAMPLES,
    )
    if mixed:
        measured = n_(
            "quality on {n} held-out pair (half own)",
            "quality on {n} held-out pairs (half own)",
            EVALUATION_SAMPLES,
        )
    return translated(TEXTS) | {"quality": measured}


def _has_snapshot(path: Path) -> bool:
    """Return whether there are weights that have learned something."""
    return stops(path)[-1] > 0


def _progress(
    path: Path, settings: RunSettings, drawn: process.Situation, had_snapshot: bool
) -> None:
    """Draw what changes every second.

    Args:
        path: The run's folder.
        settings: Of the run.
        drawn: How it stood when the page was drawn as a whole.
        had_snapshot: Whether there was a snapshot then.
    """
    try:
        found = cached.situation(path)
    except RunError:
        # Said by the page as a whole, which then looks no more.
        st.rerun()
    if found.alive != drawn.alive or not (found.alive or found == drawn):
        # With other timers, and another end of the curves: the page is drawn as a whole.
        st.rerun()
    if _has_snapshot(path) and not had_snapshot:
        # The pass comes in beside the curves.
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="training_state"):
        with st.container(width="stretch"):
            st.markdown(state.status_line(path, found))
        if path.parent != cached.GALLERY:
            state.buttons(path, found)
    if reason := refusals.reason(path):
        st.error(plain(reason))
    if found.alive:
        st.markdown(_seen(path, settings))
    if found.state != "finished":
        st.progress(min(1.0, found.step / max(1, found.steps)))


def _charts(path: Path, steps: int, texts: Mapping[str, str], *, stacked: bool) -> None:
    """Draw what was measured: the loss, and how good the model is.

    Args:
        path: The run's folder.
        steps: Number of planned steps.
        texts: The charts' own, in the reader's language.
        stacked: Whether one stands above the other.
    """
    try:
        rows: Rows = progress.rows(path)
    except RunError as error:
        state.say_problem(path, error)
        return
    places = [st.container() for _ in range(N_CHARTS)] if stacked else st.columns(2, gap="medium")
    charts(places, charts_of(rows, steps, texts))


def _pass(path: Path, sentence: str) -> None:
    """Draw the pass of a sentence with the newest weights, on its true translation if known.

    The true words are the same at every step of the training: only what the model does with them
    changes from picture to picture.
    """
    try:
        target = heads_at_step.true_target(path, sentence)
        step, found = progress.at_newest(pass_of, path, sentence, target)
    except SentenceError:
        selection.ask_for_text()
        return
    except (OSError, RunError):
        # The samples below say why.
        return
    truly = _(
        "word {step} of {last}: fed the true word “{fed}”, would write “{written}” ({probability})"
    )
    writes = "" if target is None else truly
    run, inspection = heads_at_step.untrained(path), found.inspection
    opened = selection.Opened(path, run, cached.task(path), sentence, inspection)
    focus = clicks.first_pronoun(opened, inspection)
    whole = heads_at_step.whole_at(run, found, step, focus, writes)
    components.show(whole, key=PICTURE, on_step=heads_at_step.keep_step, on_pick=_open_head)


def _open_head() -> None:
    """Look back on how the head that was clicked has formed."""
    session.choose_above({start.VIEW: "look_back", **heads_at_step.head_clicked()})


def _samples(path: Path, was_alive: bool) -> None:
    """Draw what the model makes of a few held-out sources by now."""
    try:
        if was_alive:
            TRAINING.watch(path)
        pairs: list[Pair] = Recipe(held_out_pairs, RunAt(path, 0), N_SAMPLES, SEED).result()
        samples = tuple((tuple(pair.source), tuple(pair.target)) for pair in pairs)
        step, found = progress.at_newest(answers, path, samples)
    except (OSError, RunError) as error:
        state.say_problem(path, error)
        return
    st.caption(
        _("Held-out pairs after step {step}: {right} of {n} correct").format(
            step=number(step), right=sum(each.right for each in found), n=len(found)
        )
    )
    task = cached.settings(path).task
    st.dataframe(
        {
            _("source sentence"): [each.source for each in found],
            _("true target"): [typeset_target(each.target, task) for each in found],
            _("the model says"): [typeset_target(each.output, task) for each in found],
            _("correct"): ["✓" if each.right else "✗" for each in found],
        },
        hide_index=True,
        height="content",
        alt=_("Held-out pairs, and what the model writes"),
    )
