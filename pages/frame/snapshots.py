"""Runs that kept weights from the course of their training: with them one can look back."""

from collections.abc import Mapping
from pathlib import Path

from core.runs.checkpoint import stops


def between(path: Path) -> tuple[int, ...]:
    """Return the steps between the untrained model and the newest weights that a run kept."""
    return stops(path)[1:-1]


def first_with_some(paths: Mapping[str, Path]) -> str | None:
    """Return the name of the first run that kept such a step; None where none did."""
    return next((name for name, path in paths.items() if between(path)), None)
