"""Make a run of the mean of another one's last checkpoints, often a little better than the last."""

import argparse
from pathlib import Path

from . import options
from .evaluate import summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, where to, and how many checkpoints."""
    add = parser.add_argument
    add("run", type=options.run_folder, metavar="RUN", help="trained with keep_checkpoints")
    add("out", type=Path, metavar="OUT", help="the folder to make")
    add(
        "--last",
        type=options.whole(1, 10_000),
        default=5,
        metavar="K",
        help="checkpoints; default: 5",
    )


def run(arguments: argparse.Namespace) -> None:
    """Write the run."""
    from ..runs.run import load_run
    from ..training.export import average_run

    average_run(arguments.run, arguments.out, arguments.last)
    print(*summary(dict(load_run(arguments.out).evaluation or {})), sep="\n")
