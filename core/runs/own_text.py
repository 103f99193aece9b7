"""The user's text for an opened model, on which its heads are measured.

A model of encoder and decoder takes pairs, and all of them are held out: nothing was learned from
them here. A model of one stack takes lines.
"""

import json
from dataclasses import replace
from pathlib import Path

from ..files import write_atomically
from ..tasks import CorpusError
from ..tasks.columns import tidy
from ..tasks.corpus import FILES
from ..tasks.pairs import as_tsv, read_pairs
from .files import EVALUATION, HEADS, LINES, PAIRS, PRUNING, RunError, read_text
from .settings import RunSettings, read_settings

MOST_LINES = 200
"""Maximum number of lines; the model reads each separately."""
LEAST_LINES = 2


def give_text(path: Path, content: bytes, name: str) -> int:
    """Store pairs or lines with an opened model, replacing earlier ones.

    Args:
        path: The run's folder.
        content: UTF-8: pairs as `core.tasks.pairs.read_pairs` takes them, or lines of text.
        name: Name of the file in messages.

    Returns:
        Number of pairs or lines.

    Raises:
        RunError: The run is not an opened one, or the content cannot be used; the message says why.
    """
    settings = _settings_of_opened(path)
    if settings.model.is_encoder_decoder:
        task, file, text, n = PAIRS, FILES["test"], *_pairs(content, name)
    else:
        task, file, text, n = LINES, LINES, *_lines(content, name)
    _remove_measurements(path)
    write_atomically(path / file, text)
    _write_task(path, settings, task)
    return n


def take_text_back(path: Path) -> None:
    """Remove the pairs or lines of an opened model, and the figures measured on them.

    Raises:
        RunError: The run is not an opened one.
        OSError: The folder cannot be written to.
    """
    # run.json first: a text that it does not name does no harm.
    _write_task(path, _settings_of_opened(path), "")
    _remove_measurements(path)
    for file in (FILES["test"], LINES):
        (path / file).unlink(missing_ok=True)


def text_of(path: Path) -> str:
    """Return a run's pairs or lines in the form that `give_text` takes; empty for none."""
    settings = read_settings(path)
    if not settings.is_opened or not settings.task:
        return ""
    if settings.has_lines:
        return read_text(path, LINES).rstrip("\n")
    # Without the header that `as_tsv` writes.
    return read_text(path, FILES["test"]).partition("\n")[2].rstrip("\n")


def n_given(path: Path) -> int:
    """Return the number of a run's pairs or lines."""
    return len(text_of(path).splitlines())


def _settings_of_opened(path: Path) -> RunSettings:
    settings = read_settings(path)
    if not settings.is_opened:
        raise RunError("{run} was trained here: it is measured on what it learned.", run=path.name)
    return settings


def _write_task(path: Path, settings: RunSettings, task: str) -> None:
    # Always: a page that has loaded the run sees by the file that something has changed.
    changed = replace(settings, task=task).to_dict()
    write_atomically(path / "run.json", (json.dumps(changed, indent=2) + "\n").encode())


def _remove_measurements(path: Path) -> None:
    for file in (EVALUATION, HEADS, PRUNING):
        (path / file).unlink(missing_ok=True)


def lines_of(path: Path) -> list[str]:
    """Return a run's lines."""
    return read_text(path, LINES).splitlines() if (path / LINES).is_file() else []


def _pairs(content: bytes, name: str) -> tuple[bytes, int]:
    try:
        pairs = read_pairs(content, name)
    except CorpusError as error:
        raise RunError(*error.args) from error
    if pairs.refused:
        first = pairs.refused[0]
        raise RunError("{name}, line {n}: {why}", name=name, n=first.line, why=first.reason)
    if not pairs.samples:
        raise RunError("{name}: there is no pair in it.", name=name)
    return as_tsv(pairs.samples), len(pairs.samples)


def _lines(content: bytes, name: str) -> tuple[bytes, int]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RunError("{name} is no text in UTF-8.", name=name) from error
    lines = list(dict.fromkeys(filter(None, map(tidy, text.splitlines()))))[:MOST_LINES]
    if len(lines) < LEAST_LINES:
        raise RunError(
            "{name}: at least {n} different lines of text are needed.", name=name, n=LEAST_LINES
        )
    return ("\n".join(lines) + "\n").encode(), len(lines)
