"""Copy a run without its optimizer, in half precision and measured anew: small enough to share."""

import argparse
from pathlib import Path

from . import options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run and where to."""
    add = parser.add_argument
    add("run", type=options.run_folder, metavar="RUN", help="such as runs/my-run")
    add("out", type=Path, metavar="OUT", help="the folder to make")
    add(
        "--snapshots",
        type=options.whole(0, 10**9),
        nargs="+",
        default=[],
        metavar="STEP",
        help="steps whose snapshots go with it",
    )
    add("--without-pairs", action="store_true", help="leave out the pairs that it learned from")
    add(
        "--notice",
        default="",
        metavar="TEXT",
        help="what must be said of the run wherever it is shown: where its data come from",
    )


def run(arguments: argparse.Namespace) -> None:
    """Write the copy."""
    from ..training.export import export_run

    given = (arguments.run, arguments.out, arguments.snapshots)
    export_run(*given, pairs=not arguments.without_pairs, notice=arguments.notice)
