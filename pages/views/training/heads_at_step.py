"""What is looked at in a model that is, or was, being trained: a sentence and one of the heads."""

from pathlib import Path

import streamlit as st

from core.heads import Head
from core.runs.run import Run, RunError
from core.studies.opening.examples import examples_of
from pages.frame import cached, needs, selection
from pages.frame.cached import RunAt
from pages.frame.needs import Need
from pages.frame.recipe import Recipe
from pages.views.training import progress


def ask_sentence(path: Path) -> str:
    """Ask for a sentence, beside examples of the run's task.

    Raises:
        RunError: The folder is no run.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        return selection.ask_sentence(
            progress.task(path), labelled=False, others=examples_of(untrained(path))
        )


def why_none(path: Path) -> str:
    """Return why a run's model has no head to look at, in a sentence; empty where it has.

    Raises:
        RunError: The folder is no run.
    """
    return needs.why_not(untrained(path), [Need.HEADS])


def ask_head(path: Path) -> Head:
    """Ask for a kind of attention, a layer and a head; to be called inside of a row.

    Raises:
        RunError: The folder is no run.
    """
    return selection.ask_head(_opened(path))


def _opened(path: Path) -> Run:
    """Return the run as it opens elsewhere, with what is known of its heads; else untrained."""
    try:
        return cached.loaded(path)
    except RunError:
        return untrained(path)


def untrained(path: Path) -> Run:
    """Return the run with the weights before training: it is there before any checkpoint is."""
    return Recipe(_itself, RunAt(path, 0)).result()


def _itself(run: Run) -> Run:
    return run
