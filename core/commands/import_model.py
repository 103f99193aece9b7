"""Open a model of another library as a run: a folder, a zip, a GGUF file, or owner/name."""

import argparse
import sys
import time
from pathlib import Path

from core.commands.options import progress_printer
from core.families import FamilyError
from core.model import count_parameters
from core.runs.run import RunError, load_run
from core.studies.opening.opening import open_model
from core.studies.opening.survey import NOT_COUNTED, survey


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take what is opened, and the run's folder."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a folder of Hugging Face, a .zip of one, a .gguf file, or owner/name on the Hub",
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="such as runs/minilm")


def run(arguments: argparse.Namespace) -> None:
    """Say what it needs, open it, and say what it is."""
    if arguments.run.exists():
        raise RunError(f"{arguments.run} exists already")
    path = Path(arguments.source).expanduser()
    if path.is_dir() or path.suffix.lower() == ".gguf":
        try:
            found = survey(path)
        except FamilyError as error:
            raise RunError(str(error)) from error
        size, seconds = found.n_bytes / 1e6, found.seconds
        print(
            f"{found.family}, {found.n_weights:,} weights in its files: {size:,.0f} MB on the disk "
            f"and in memory, at most about {seconds:.0f} s",
            file=sys.stderr,
        )
    tell = progress_printer("opened, in percent:")
    started = time.perf_counter()
    for share in open_model(arguments.source, arguments.run):
        tell(round(100 * share))
    loaded = load_run(arguments.run)
    seconds = time.perf_counter() - started
    n = count_parameters(loaded.settings.model)
    print(f"{arguments.run}: {loaded.settings.family}, {n:,} parameters, opened in {seconds:.1f} s")
    print(f"(not counted: {NOT_COUNTED})")
