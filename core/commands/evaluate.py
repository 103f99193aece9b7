"""Measure a run on held-out samples: quality, pronouns, and what each head has to do with them."""

import argparse
import json
from pathlib import Path
from typing import Any

from core.commands.errors import CommandError
from core.evaluate.evaluation import N_SAMPLES, SEED, evaluate
from core.heads import Head
from core.runs.run import load_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run and how many samples."""
    parser.add_argument("run", type=Path, metavar="RUN", help="such as gallery/translate")
    parser.add_argument("--n", type=int, default=N_SAMPLES, help="held-out samples")
    parser.add_argument("--seed", type=int, default=SEED, help="draws the samples")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the figures; the run folder stays as it is."""
    if arguments.n < 1:
        raise CommandError(f"--n is {arguments.n}, not 1 or more")
    figures = evaluate(load_run(arguments.run), arguments.n, arguments.seed)
    if arguments.json:
        print(json.dumps(figures))
    else:
        for line in summary(figures):
            print(line)


def summary(figures: dict[str, Any]) -> list[str]:
    """Return the figures as lines to read."""
    lines = [
        f"exact match     {figures['exact_match']:.2%} of {figures['n']} held-out samples",
        f"token accuracy  {figures['token_accuracy']:.3%}",
    ]
    if (pronoun := figures["pronoun"]) is not None:
        rules = ", ".join(f"{name} {share:.1%}" for name, share in pronoun["baselines"].items())
        lines += [
            f"pronouns        {pronoun['accuracy']:.2%} of {pronoun['n']} (rules: {rules})",
            "",
            "head                 on the antecedent   pronouns without it",
        ]
    for each in figures["heads"]:
        name = str(Head.read(each))
        lines.append(f"{name:<20} {each['score']:>17.1%}   {each['silenced_accuracy']:>19.1%}")
    return lines
