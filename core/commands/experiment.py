"""Ask a question about the Transformer: list them, show one with what came out, or run it."""

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ..installed import COMMAND
from . import options
from .options import CommandError, print_table

if TYPE_CHECKING:
    from ..studies.experiments import Experiment

_SECONDS_BETWEEN_LINES = 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take what to do, a question, and where results go."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|show|run")
    actions.add_parser("list", help="all questions")
    showing = actions.add_parser("show", help="one question, its variants, and what came out")
    showing.add_argument("name", metavar="NAME")
    running = actions.add_parser("run", help="train what is missing of its variants")
    running.add_argument("name", metavar="NAME")
    running.add_argument("out", type=Path, metavar="OUT")
    running.add_argument(
        "--seeds",
        type=options.whole(1, 100),
        help="this many of each variant, with "
        "the learning rates that ship; default: the protocol, which chooses them",
    )


def run(arguments: argparse.Namespace) -> None:
    """Do what is asked for."""
    from ..studies.experiments import EXPERIMENTS
    from ..studies.experiments.results import SHIPPED

    if arguments.action == "list":
        found = EXPERIMENTS.values()
        print_table(
            {name: [getattr(each, name) for each in found] for name in ("name", "question")}
        )
        return
    if arguments.name not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise CommandError(f"there is no experiment {arguments.name!r}; there are {known}")
    experiment = EXPERIMENTS[arguments.name]
    if arguments.action == "show":
        _show(experiment, SHIPPED)
    else:
        _run(experiment, arguments.out, arguments.seeds)


def _show(experiment: "Experiment", folder: Path) -> None:
    """Print a question with its variants, and what came out in each."""
    from ..runs.metrics import columns_of
    from ..studies.experiments.findings import what_came_out
    from ..studies.experiments.results import Results

    variants = experiment.variants
    try:
        results = Results.found(experiment.name, folder)
    except ValueError as error:
        raise CommandError(str(error)) from error
    print(f"{experiment.question}\n\nClaim: {experiment.claim}\n({experiment.source})\n")
    settings = [{"task": each.task, "start": each.start, **each.changes} for each in variants]
    changes = [
        ", ".join(f"{k}={v}" for k, v in each.items() if v not in ("", None)) for each in settings
    ]
    labels = [each.label for each in variants]
    print_table({"variant": [each.name for each in variants], "": labels, "changes": changes})
    print(f"\n{experiment.caution}\n" if experiment.caution else "")
    if results is None:
        print(f"not run yet: {COMMAND} experiment run {experiment.name} OUT")
        return
    print("\n".join(what_came_out(experiment, results)))
    measures = ["exact_match", "loss", "parameters", "seconds"]
    measures += [each.name for each in experiment.measures]
    rows = [
        {
            "variant": variant.name,
            "measure": measure,
            **asdict(results.estimate(variant.name, measure)),
        }
        for variant in variants
        for measure in measures
        if results.has(variant.name, measure)
    ]
    print_table(columns_of(rows))
    print(f"\n{results.machine}; {results.command}")


def _run(experiment: "Experiment", out: Path, seeds: int | None) -> None:
    from ..studies.experiments.results import Results
    from ..studies.experiments.running import run_experiment

    command = f"{COMMAND} experiment run {experiment.name} OUT"
    command += f" --seeds {seeds}" if seeds else ""
    last = 0.0
    shipped = Results.found(experiment.name) if seeds else None
    for step in run_experiment(experiment, out, seeds, command, shipped):
        if not step.steps or time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            what = f"{step.done} of {step.of}: {step.variant.name}, seed {step.seed}"
            print(f"{what}, step {step.step} of {step.steps}", file=sys.stderr)
    _show(experiment, out)
