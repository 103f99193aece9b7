"""Runs and what their models do with sentences: the only module that caches."""

from pathlib import Path

import streamlit as st

from core.analysis.findings import task_of
from core.inspection import Inspection, inspect_sentence
from core.run import Run, RunError, load_run, newest_checkpoint, read_settings
from core.tasks import Task
from core.words import merged

ROOT = Path(__file__).resolve().parents[2]
GALLERY, OWN = ROOT / "gallery", ROOT / "runs"
FIRST = ("translate-guided", "translate")
"""Runs of the gallery that are offered before the others."""


def run_paths() -> dict[str, Path]:
    """Return the folders that may be runs by the name under which they are offered.

    The gallery comes first; a run of one's own is called runs/NAME.
    """
    return {path.name: path for path in _folders(GALLERY)} | {
        f"runs/{path.name}": path for path in _folders(OWN)
    }


def complaint(path: Path) -> str:
    """Return what is wrong with a run folder as far as a quick look tells, or nothing."""
    try:
        read_settings(path)
        return "" if newest_checkpoint(path) else str(RunError(f"{path}: no checkpoint yet"))
    except RunError as error:
        return str(error)


def loaded(path: Path) -> Run:
    """Return a run with its newest checkpoint, shared by all sessions: nobody may change it.

    Raises:
        RunError: The folder is missing, damaged, or no run.
    """
    return _loaded(path, _stamp(path))


def task(path: Path) -> Task | None:
    """Return the task that a run was trained on, or None where its file of pairs is gone."""
    return _task(path, _stamp(path))


def inspected(path: Path, sentence: str, whole_words: bool) -> Inspection:
    """Return what every head of a run does with a sentence, shared by all sessions.

    Raises:
        SentenceError: There is no text.
    """
    return _inspected(path, _stamp(path), sentence, whole_words)


@st.cache_resource(max_entries=6, show_spinner=False)
def _loaded(path: Path, stamp: tuple[int, ...]) -> Run:
    return load_run(path)


@st.cache_resource(max_entries=6, show_spinner=False)
def _task(path: Path, stamp: tuple[int, ...]) -> Task | None:
    return task_of(_loaded(path, stamp))


@st.cache_resource(max_entries=16, show_spinner=False)
def _inspected(path: Path, stamp: tuple[int, ...], sentence: str, whole_words: bool) -> Inspection:
    if whole_words:
        return merged(_inspected(path, stamp, sentence, False))
    return inspect_sentence(_loaded(path, stamp), sentence)


def _stamp(path: Path) -> tuple[int, ...]:
    """Return what changes when a run's files do, so that nothing old is shown."""
    files = [path / "run.json", path / "evaluation.json", newest_checkpoint(path)]
    return tuple(file.stat().st_mtime_ns for file in files if file is not None and file.exists())


def _rank(path: Path) -> tuple[int, str]:
    return (FIRST.index(path.name) if path.name in FIRST else len(FIRST), path.name)


def _folders(parent: Path) -> list[Path]:
    if not parent.is_dir():
        return []
    shown = (path for path in parent.iterdir() if path.is_dir() and path.name[0] != ".")
    return sorted(shown, key=_rank)
