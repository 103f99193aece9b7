"""Give an opened model pairs, or lines of text, of one's own to measure its heads on."""

import argparse
from pathlib import Path

from ..runs.own_text import give_text
from ..runs.settings import read_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, and the file."""
    parser.add_argument("run", type=Path, metavar="RUN", help="an opened model: runs/minilm")
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="pairs (TSV or CSV) for a model of encoder and decoder; for others lines of text",
    )


def run(arguments: argparse.Namespace) -> None:
    """Keep the text in the run's folder, and say how much it is."""
    n = give_text(arguments.run, arguments.file.read_bytes(), str(arguments.file))
    what = "pairs" if read_settings(arguments.run).has_pairs else "lines"
    print(f"{arguments.run}: its heads are measured on {n:,} {what}")
