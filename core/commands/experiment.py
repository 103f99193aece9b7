"""Ask a question about the Transformer: list them, show one with what came out, or run it."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.commands import options
from core.commands.options import CommandError
from core.studies.experiments import EXPERIMENTS, Experiment
from core.studies.experiments.findings import verdicts, what_came_out
from core.studies.experiments.results import SHIPPED, Results
from core.studies.experiments.running import run_experiment

_SECONDS_BETWEEN_LINES = 20.0
_DESCRIBED = (
    "name",
    "question",
    "claim",
    "source",
    "task",
    "seeds",
    "judged_by",
    "judges",
    "caution",
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
    for each in EXPERIMENTS.values():
        print(f"{each.name:<14}{each.question}")


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
    try:
        results = Results.found(experiment.name, folder)
    except ValueError as error:
        raise CommandError(str(error)) from error
    if as_json:
        print(json.dumps(_described(experiment) | _measured(experiment, results)))
        return
    print(f"{experiment.question}\n\nClaim: {experiment.claim}\n({experiment.source})\n")
    for variant in experiment.variants:
        changed = {**({"task": variant.task} if variant.task else {}), **variant.changes}
        changes = ", ".join(f"{name}={value}" for name, value in changed.items())
        start = f", from {variant.start}" if variant.start else ""
        print(f"  {variant.name:<18}{variant.label}{f'  ({changes})' if changes else ''}{start}")
    if experiment.judges:
        print(f"\nJudged here: {experiment.judges}.")
    if experiment.caution:
        print(f"\n{experiment.caution}")
    n = len(experiment.variants) * experiment.seeds
    steps = experiment.preset(experiment.variants[0], 0).training.steps
    print(f"\n{n} trainings of {steps:,} steps on {experiment.task}\n")
    if results is None:
        print(f"not run yet: python -m core experiment run {experiment.name} OUT")
        return
    print("\n".join(_result_lines(experiment, results)))
    print(f"\n{results.machine}; {results.command}")


def _result_lines(experiment: Experiment, results: Results) -> Iterator[str]:
    """Yield what came out, then the figures that have no sentence."""
    yield from what_came_out(experiment, results)
    for variant in experiment.variants:
        measured = [
            f"{each.name} {results.estimate(variant.name, each.name).mean:.4f}"
            for each in experiment.measures
            if not each.reported and results.has(variant.name, each.name)
        ]
        if measured:
            yield f"{variant.label}: {', '.join(measured)}"
        if found := results.by_distance(variant.name):
            norms = ", ".join(f"{distance}: {norm:.2g}" for distance, (_, norm) in found.items())
            yield f"{variant.label}: gradient norm by tokens before (own = 1): {norms}"


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
    if seeds is not None:
        command += f" --seeds {seeds}"
    last = began = time.monotonic()
    for step in run_experiment(experiment, out, seeds or experiment.seeds, command):
        if not step.steps or time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            where = f", step {step.step} of {step.steps}" if step.steps else ""
            print(
                f"{step.done} of {step.of}: {step.variant.name}, seed {step.seed}{where}; "
                f"{(last - began) / 60:.1f} min",
                file=sys.stderr,
            )
    _show(experiment, out, as_json=False)
