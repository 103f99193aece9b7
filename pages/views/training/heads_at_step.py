"""What is looked at in a model that is, or was, being trained: a step, a sentence, and a head."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.decoding.sentence import model_input
from core.heads import Head, Site
from core.runs.run import Run, RunError
from core.studies.forward_pass import ForwardPass
from core.studies.opening.examples import examples_of, known_continuation
from pages.frame import cached, clicks, controls, selection, session
from pages.frame.cached import RunAt
from pages.frame.language import _, number
from pages.frame.passes import PICTURE, whole_of
from pages.frame.recipe import Recipe
from pages.views.training import progress
from viz.whole.whole import Whole

FEW = 2
"""Snapshots of a run that kept no others: before training, and the newest."""


def ask_step(offered: Sequence[int], usual: int) -> int:
    """Ask for a snapshot."""
    steps = {step: number(step) for step in offered}
    text = _("training step, from 0 (untrained) to {last} (the end)")
    label = text.format(last=number(max(offered)))
    return controls.along(label, session.STEP, steps, usual)


def ask_sentence(path: Path) -> str:
    """Ask for a sentence, beside examples of the run's task.

    Raises:
        RunError: The folder is no run.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        return selection.ask_sentence(
            progress.task(path), labelled=False, others=examples_of(untrained(path))
        )


def true_target(path: Path, sentence: str) -> str | None:
    """Return the true target of a sentence, or how a prompt truly goes on; None if unknown.

    A decoder that fills in all words at once is not fed it.

    Raises:
        RunError: The folder is no run.
        SentenceError: There is no text.
    """
    run, task = untrained(path), progress.task(path)
    if run.model.config.is_parallel:
        return None
    if task is None:
        return Recipe(known_continuation, RunAt(path, 0), sentence).result()
    return task.reference(run.tokenizer.decode(model_input(run, sentence).source_ids))


def whole_at(run: Run, found: ForwardPass, step: int, focus: int | None, writes: str = "") -> Whole:
    """Return the pass at a snapshot; its steps are called words, since training has steps, too.

    Args:
        run: The run, with any of its weights.
        found: The pass.
        step: Of the snapshot.
        focus: The source's token that stands out; None for none.
        writes: The text for a word; empty for words that the model writes by itself.
    """
    title = _("The pass at step {step}").format(step=number(step))
    usual = _("word {step} of {last}: fed “{fed}”, writes “{written}” ({probability})")
    whole = whole_of(run, found, title, focus)
    return replace(whole, texts={**whole.texts, "at": writes or usual})


def keep_step() -> None:
    """Leave the step of decoding to the picture."""


def head_clicked() -> dict[str, object]:
    """Return the head that was clicked in a pass, as choices; nothing where none was."""
    if not (pick := clicks.picked(PICTURE)):
        return {}
    site = Site.parse(pick["site"])
    chosen = {session.LAYER: site.layer, session.HEAD: pick["head"]}
    return {session.KIND: site.attention, **chosen}


def ask_head(path: Path) -> Head:
    """Ask for a kind of attention, a layer and a head; to be called inside of a row.

    Raises:
        RunError: The folder is no run.
    """
    try:
        # As it opens elsewhere, with what is known of its heads.
        run = cached.loaded(path)
    except RunError:
        run = untrained(path)
    return selection.ask_head(run)


def untrained(path: Path) -> Run:
    """Return the run with the weights before training: it is there before any checkpoint is."""
    return Recipe(_itself, RunAt(path, 0)).result()


def _itself(run: Run) -> Run:
    return run
