"""Measure a run on held-out samples: quality, pronouns, and what each head has to do with them."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.commands.errors import CommandError
from core.commands.progress import telling
from core.evaluate.evaluation import N_SAMPLES, SEED, evaluate
from core.evaluate.files import score_file
from core.heads import Head
from core.runs.run import load_run
from core.tasks.corpus import read_samples


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run and how many samples."""
    parser.add_argument("run", type=Path, metavar="RUN", help="such as gallery/translate")
    parser.add_argument("--n", type=int, default=N_SAMPLES, help="held-out samples")
    parser.add_argument("--seed", type=int, default=SEED, help="draws the samples")
    parser.add_argument(
        "--file",
        nargs="+",
        type=Path,
        metavar="PAIRS",
        help="measure on a file of pairs instead, or on two files of lines",
    )
    parser.add_argument("--beam", type=int, default=1, metavar="K", help="for a file; 1 is greedy")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the figures; the run folder stays as it is."""
    if arguments.file:
        _score_file(arguments)
        return
    if arguments.beam != 1:
        raise CommandError("--beam is for --file: what is kept with a run is decoded greedily")
    if arguments.n < 1:
        raise CommandError(f"--n is {arguments.n}, not 1 or more")
    figures = evaluate(load_run(arguments.run), arguments.n, arguments.seed)
    if arguments.json:
        print(json.dumps(figures))
    else:
        for line in summary(figures):
            print(line)


def _score_file(arguments: argparse.Namespace) -> None:
    """Print how good the run translates a file of pairs."""
    if len(arguments.file) > 2:
        raise CommandError("--file takes one file of pairs, or two files of lines")
    samples = read_samples(arguments.file, repeated=True)
    loaded = load_run(arguments.run)
    scores = score_file(loaded, samples, arguments.beam, telling("translated", len(samples)))
    if arguments.json:
        print(json.dumps(asdict(scores)))
        return
    print(f"BLEU {scores.bleu:.2f}   chrF2 {scores.chrf:.2f}   of {scores.n:,} pairs")
    print(scores.signature)
    if scores.n_cut:
        print(f"warning: {scores.n_cut:,} sources were cut to fit the model", file=sys.stderr)


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
