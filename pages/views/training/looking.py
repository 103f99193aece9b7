"""What is looked at in a model that is, or was, being trained: a sentence and one of the heads."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from core.config import ModelConfig
from core.inspection import Inspection
from core.runs.run import Run, RunError
from pages.frame import address, cached, clicks, controls, maps, notes, opening, session
from pages.frame.text import _
from pages.views.training import progress

KINDS = ("encoder.self", "decoder.self", "decoder.cross")


@dataclass(frozen=True, slots=True)
class Head:
    """One head of one kind of attention."""

    kind: str
    layer: int
    head: int


def sentence(path: Path) -> str:
    """Ask for a sentence, beside examples of the run's task; to be called inside of a row.

    Raises:
        RunError: The folder is no run.
    """
    return opening.ask_sentence(progress.task(path), labelled=False)


def head(path: Path, model: ModelConfig) -> Head:
    """Ask for a kind of attention, a layer and a head.

    Raises:
        RunError: The folder is no run.
    """
    run = _opened(path)
    kind = controls.kind(KINDS, opening.default_kind(run), then=partial(_open_other_kind, run))
    n_layers = model.n_encoder_layers if kind == "encoder.self" else model.n_decoder_layers
    layer, number = opening.default_head(run, kind)
    return Head(kind, *controls.layer_and_head(n_layers, model.n_heads, (layer, number)))


def notes_on(path: Path, inspection: Inspection) -> list[str]:
    """Return what the model could not read or end of the sentence, one sentence each.

    Raises:
        RunError: The folder is no run.
    """
    return notes.about_reading(_untrained(path), inspection)


def show(inspection: Inspection, looked_at: Head) -> None:
    """Draw the maps."""
    selected = (looked_at.layer, looked_at.head)
    shown = maps.maps_of(inspection, looked_at.kind, selected)
    maps.attention_maps(shown, key=session.MAPS, on_pick=clicks.take_head)


def no_text() -> None:
    """Ask for a sentence where there is none."""
    st.info(_("Type a sentence, or click one of the examples."))


def _opened(path: Path) -> Run:
    """Return the run as it opens elsewhere, with what is known of its heads; else untrained."""
    try:
        return cached.loaded(path)
    except RunError:
        return _untrained(path)


def _untrained(path: Path) -> Run:
    """Return the run with the weights before training: it is there before any checkpoint is."""
    return cached.of_run_at(_itself, path, 0)


def _itself(run: Run) -> Run:
    return run


def _open_other_kind(run: Run) -> None:
    layer, number = opening.default_head(run, address.text_of(session.KIND) or "")
    address.choose({session.LAYER: layer, session.HEAD: number})
