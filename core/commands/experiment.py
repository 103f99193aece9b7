"""Ask a question about the Transformer: list them, show one with what came out, or run it."""

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.commands import options
from core.commands.options import CommandError, print_table
from core.runs.metrics import columns_of
from core.studies.experiments import EXPERIMENTS, Experiment
from core.studies.experiments.findings import verdicts, what_came_out
from core.studies.experiments.results import SHIPPED, Results
from core.studies.experiments.running import run_experiment

_SECONDS_BETWEEN_LINES = 20.0
_DESCRIBED = (
    *("name", "question", "claim", "source", "task", "seeds", "judged_by", "judges", "caution"),
)
"""Attributes of an experiment that its JSON begins with."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take what to do, a question, and where results go."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|show|run")
    listing = actions.add_parser("list", help="all questions")
    listing.add_argument("--json", action="store_true")
    showing = actions.add_parser("show", help="one question, its variants, and what came out")
    showing.add_argument("name", metavar="NAME")
    showing.add_argument(
        "--results",
        type=Path,
        metavar="OUT",
        help="of a run of one's own, instead of those shipped",
    )
    showing.add_argument("--json", action="store_true")
    running = actions.add_parser("run", help="train what is missing of its variants")
    running.add_argument("name", metavar="NAME")
    running.add_argument("out", type=Path, metavar="OUT")
    running.add_argument("--seeds", type=options.whole(1, 100), help="default: the experiment's, 3")


def run(arguments: argparse.Namespace) -> None:
    """Do what is asked for."""
    if arguments.action == "list":
        _list(as_json=arguments.json)
        return
    if arguments.name not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise CommandError(f"there is no experiment {arguments.name!r}; there are {known}")
    experiment = EXPERIMENTS[arguments.name]
    if arguments.action == "show":
        if arguments.results is not None and not arguments.results.is_dir():
            raise CommandError(f"{arguments.results}: no such folder")
        _show(experiment, arguments.results or SHIPPED, as_json=arguments.json)
    else:
        _run(experiment, arguments.out, arguments.seeds)


def _list(*, as_json: bool) -> None:
    if as_json:
        print(json.dumps([_described(each) for each in EXPERIMENTS.values()], ensure_ascii=False))
        return
    found = EXPERIMENTS.values()
    print_table({name: [getattr(each, name) for each in found] for name in _DESCRIBED[:2]})


def _described(experiment: Experiment) -> dict[str, Any]:
    return {
        **{name: getattr(experiment, name) for name in _DESCRIBED},
        "settings": dict(experiment.settings),
        "variants": {
            each.name: {
                "label": each.label,
                "changes": dict(each.changes),
                **{name: of for name in ("start", "task") if (of := getattr(each, name))},
            }
            for each in experiment.variants
        },
    }


def _show(experiment: Experiment, folder: Path, *, as_json: bool) -> None:
    variants = experiment.variants
    try:
        results = Results.found(experiment.name, folder)
    except ValueError as error:
        raise CommandError(str(error)) from error
    measured = _measured(experiment, results)
    if as_json:
        print(json.dumps(_described(experiment) | measured))
        return
    print(f"{experiment.question}\n\nClaim: {experiment.claim}\n({experiment.source})\n")
    settings = [{"task": each.task, "start": each.start, **each.changes} for each in variants]
    changes = [
        ", ".join(f"{k}={v}" for k, v in each.items() if v not in ("", None)) for each in settings
    ]
    labels = [each.label for each in variants]
    print_table({"variant": [each.name for each in variants], "": labels, "changes": changes})
    print(f"\n{experiment.caution}\n" if experiment.caution else "")
    if results is None:
        print(f"not run yet: python -m core experiment run {experiment.name} OUT")
        return
    print("\n".join(measured["measured"]["what_came_out"]))
    rows = [
        {"variant": variant, "measure": measure, **estimate}
        for variant, of in measured["measured"]["measures"].items()
        for measure, estimate in of.items()
    ]
    print_table(columns_of(rows))
    print(f"\n{results.machine}; {results.command}")


def _measured(experiment: Experiment, results: Results | None) -> dict[str, Any]:
    if results is None:
        return {"measured": None}
    names = ["exact_match", "loss", "parameters", "seconds"]
    names += [each.name for each in experiment.measures]
    return {
        "measured": {
            "n": results.trained[0].n,
            "seeds": list(results.seeds),
            "measures": {
                variant.name: {
                    measure: asdict(results.estimate(variant.name, measure))
                    for measure in names
                    if results.has(variant.name, measure)
                }
                for variant in experiment.variants
                if results.of(variant.name)
            },
            "by_distance": {
                variant.name: found
                for variant in experiment.variants
                if (found := results.by_distance(variant.name))
            },
            "verdicts": verdicts(experiment, results),
            "what_came_out": what_came_out(experiment, results),
        }
    }


def _run(experiment: Experiment, out: Path, seeds: int | None) -> None:
    command = f"python -m core experiment run {experiment.name} OUT"
    command += f" --seeds {seeds}" if seeds else ""
    last = 0.0
    for step in run_experiment(experiment, out, seeds or experiment.seeds, command):
        if not step.steps or time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            what = f"{step.done} of {step.of}: {step.variant.name}, seed {step.seed}"
            print(f"{what}, step {step.step} of {step.steps}", file=sys.stderr)
    _show(experiment, out, as_json=False)
