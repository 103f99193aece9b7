"""What commands share: numbers with bounds, how files of pairs are read, tables, and refusals."""

import argparse
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..heads import Head
from ..installed import GALLERY, ROOT
from ..tasks.columns import Reading

if TYPE_CHECKING:
    from ..runs.run import Run

MOST_SAMPLES = 1_000_000
"""Held-out samples: more take days."""
LARGEST_SEED = 2**63 - 1
Number = TypeVar("Number", int, float)


class CommandError(Exception):
    """What the user has to mend, in one sentence; the command ends with status 2."""


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return what reads a whole number within bounds.

    >>> whole(1, 64)("5")
    5
    """
    return _bounded(int, "a whole number", least, most)


def number(least: float, most: float) -> Callable[[str], float]:
    """Return what reads a number within bounds."""
    return _bounded(float, "a number", least, most)


def _bounded(kind: type[Number], name: str, least: float, most: float) -> Callable[[str], Number]:
    def read(text: str) -> Number:
        shown = text if len(text) <= 40 else text[:39] + "…"
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{shown} is not {name}") from None
        if math.isnan(value) or not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{shown} is not {least:g} to {most:g}")
        return value

    return read


def run_folder(text: str) -> Path:
    """Return the folder of a run; `gallery/NAME` is found wherever the command is started.

    Raises:
        CommandError: There is none. Torch, which takes seconds, is not imported for that.
    """
    path = Path(text)
    if path.parts[:1] == (GALLERY.name,) and not path.exists():
        path = ROOT / path
    if not path.is_dir():
        raise CommandError(f"{path}: no such folder")
    return path


seed = whole(0, LARGEST_SEED)
samples = whole(1, MOST_SAMPLES)


def head(text: str) -> Head:
    """Read a head.

    >>> head("encoder.1.self:0").index
    0
    """
    try:
        return Head.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def chosen(arguments: argparse.Namespace, *names: str) -> list[str]:
    """Return those options, as they are typed, that have a value."""
    values = {name: getattr(arguments, name) for name in names}
    # Not `in (None, False)`: 0 is a value.
    named = [name for name, value in values.items() if value is not None and value is not False]
    return [option(name) for name in named]


def option(name: str) -> str:
    """Return an option as it is typed.

    >>> option("d_model")
    '--d-model'
    """
    return f"--{name.replace('_', '-')}"


def refuse(arguments: argparse.Namespace, names: Sequence[str], why: str) -> None:
    """Refuse options that would change nothing.

    Args:
        arguments: What the user chose.
        names: Of these options.
        why: The rest of the sentence that begins with the option.

    Raises:
        CommandError: One of them has a value.
    """
    if given := chosen(arguments, *names):
        raise CommandError(f"{given[0]} {why}")


class OneSentence(argparse.ArgumentParser):
    """A parser that refuses in one sentence, without the usage before it."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Say what is wrong, and end with status 2."""
        self.exit(2, f"error: {message} (see {self.prog} --help)\n")


def add_asking(parser: argparse.ArgumentParser) -> None:
    """Add the options of opened models: chat template and target language."""
    parser.add_argument(
        "--chat", action="store_true", help="put the chat template of the model around the text"
    )
    parser.add_argument(
        "--language",
        metavar="TOKEN",
        help="what a multilingual model translates to, such as fra_Latn, fr_XX or fr; default: "
        "what its makers set",
    )


def asked(loaded: "Run", arguments: argparse.Namespace) -> "Run":
    """Return a run with the chat template and the target language of these options.

    Raises:
        CommandError: It has no chat template that works, or no such language.
    """
    chat, language = loaded.settings.chat, arguments.language
    if arguments.chat and chat is None:
        raise CommandError("--chat: this model has no chat template")
    if arguments.chat and chat is not None and chat.problem:
        raise CommandError(f"--chat: its chat template cannot be used: {chat.problem}")
    if language is not None and language not in loaded.languages:
        known = ", ".join(sorted(loaded.languages)) or "none: it writes one language"
        raise CommandError(f"--language: {language} is none of the model's languages ({known})")
    forced_id = loaded.forced_id if language is None else loaded.languages[language]
    return replace(loaded, chats=arguments.chat, forced_id=forced_id)


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Take which columns of files hold the pairs."""
    parser.add_argument(
        "--columns",
        type=_reading,
        metavar="SOURCE,TARGET",
        help="names or numbers of the two columns in files of pairs, such as en,fr or 2,3 (the "
        "first is 1); default: those that hold sentences",
    )


def _reading(text: str) -> Reading:
    columns = tuple(column.strip() for column in text.split(","))
    if len(columns) != 2:
        raise argparse.ArgumentTypeError(f"{text} is not two columns, such as en,fr or 1,2")
    return Reading(columns)


def print_table(columns: Mapping[str, Sequence[object]]) -> None:
    """Print columns side by side under their names."""
    cells = [[name, *map(_cell, values)] for name, values in columns.items()]
    widths = [max(map(len, column)) for column in cells]
    for row in zip(*cells, strict=True):
        print("  ".join(map(str.ljust, row, widths)).rstrip())


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


SECONDS_BETWEEN_LINES = 2.0


def progress_printer(what: str, total: int | None = None) -> Callable[[int], None]:
    """Return what says on standard error, every two seconds, how much of something is done."""
    last = time.perf_counter()

    def tell(done: int) -> None:
        nonlocal last
        if (now := time.perf_counter()) - last >= SECONDS_BETWEEN_LINES:
            last = now
            of = "" if total is None else f" of {total:,}"
            print(f"{what} {done:,}{of}", file=sys.stderr, flush=True)

    return tell
