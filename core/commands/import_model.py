"""Open a model of another library as a run: a folder, a zip, a GGUF file, or owner/name."""

import argparse
import time
from pathlib import Path

from .options import progress_printer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take what is opened, and the run's folder."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a folder of Hugging Face, a .zip of one, a .gguf file, or owner/name on the Hub",
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="such as runs/minilm")


def run(arguments: argparse.Namespace) -> None:
    """Open it, and say what it is."""
    from ..runs.run import load_run
    from ..studies.opening.opening import open_model
    from ..studies.opening.survey import NOT_COUNTED

    tell = progress_printer("opened, in percent:")
    started = time.perf_counter()
    for share in open_model(arguments.source, arguments.run):
        tell(round(100 * share))
    loaded = load_run(arguments.run)
    seconds = time.perf_counter() - started
    n = sum(each.numel() for each in loaded.model.parameters())
    print(f"{arguments.run}: {loaded.settings.family}, {n:,} parameters, opened in {seconds:.1f} s")
    if loaded.settings.precision:
        print(f"weights kept in {loaded.settings.precision}, computed in float32")
    if n_left_out := loaded.settings.n_left_out:
        print(f"(not counted: {n_left_out:,} {NOT_COUNTED})")
