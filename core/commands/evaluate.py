"""Measure a run on held-out samples: quality, pronouns, and what each head has to do with them."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..decoding.bounds import LARGEST_BEAM
from ..evaluate import N_SAMPLES, SEED
from ..heads import Head
from ..tasks import Sample
from ..tasks.columns import Reading
from ..tasks.pairs import read_pair_files
from . import options
from .options import (
    CommandError,
    add_columns,
    print_table,
    progress_printer,
)

if TYPE_CHECKING:
    from ..runs.run import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run and how many samples."""
    add = parser.add_argument
    add("run", type=options.run_folder, metavar="RUN", help="such as gallery/translate")
    add("--n", type=options.samples, help=f"held-out samples; default: {N_SAMPLES}")
    add("--seed", type=options.seed, help=f"draws the samples; default: {SEED}")
    add(
        "--file",
        nargs="+",
        type=Path,
        metavar="PAIRS",
        help="measure on a file of pairs instead, or on two files of lines",
    )
    add_columns(parser)
    add(
        "--beam",
        type=options.whole(1, LARGEST_BEAM),
        default=1,
        metavar="K",
        help="default: 1, greedy",
    )
    add("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the figures; the run folder stays as it is."""
    if arguments.file:
        _score_file(arguments)
        return
    options.refuse(arguments, ("columns",), "is for --file")
    from ..evaluate.evaluation import evaluate, held_out_samples
    from ..runs.run import load_run

    n = N_SAMPLES if arguments.n is None else arguments.n
    seed = SEED if arguments.seed is None else arguments.seed
    loaded = load_run(arguments.run)
    if arguments.beam != 1:
        _print_scores(arguments, loaded, held_out_samples(loaded, n, seed))
        return
    figures = evaluate(loaded, n, seed)
    if arguments.json:
        print(json.dumps(figures))
    else:
        print(*summary(figures), sep="\n")
        names = ("score", "silenced_accuracy")
        if heads := figures["heads"]:
            columns = {name: [each[name] for each in heads] for name in names}
            print_table({"head": [Head.read(each) for each in heads], **columns})


def _score_file(arguments: argparse.Namespace) -> None:
    """Print how good the run translates a file of pairs."""
    from ..runs.run import load_run

    if len(arguments.file) > 2:
        raise CommandError("--file takes one file of pairs, or two files of lines")
    options.refuse(arguments, ("n", "seed"), "draws held-out samples; of --file all pairs count")
    found = read_pair_files(arguments.file, arguments.columns or Reading())
    for note in found.notes:
        print(note, file=sys.stderr)
    if not found.rows:
        raise CommandError(f"{arguments.file[0]}: there are no pairs in it")
    _print_scores(arguments, load_run(arguments.run), found.rows)


def _print_scores(arguments: argparse.Namespace, loaded: "Run", samples: Sequence[Sample]) -> None:
    """Print how good pairs are translated, as they are written."""
    from ..evaluate.metrics import score_file

    scores = score_file(
        loaded, samples, arguments.beam, progress_printer("translated", len(samples))
    )
    if arguments.json:
        print(json.dumps(asdict(scores)))
        return
    print(f"of {scores.n:,} pairs, {scores.n_unfinished:,} outputs cut at the length limit")
    print(_quality(asdict(scores) | {"bleu_signature": scores.signature}))
    if scores.n_cut:
        print(f"warning: sources cut to fit the model: {scores.n_cut:,}", file=sys.stderr)


def summary(figures: dict[str, Any]) -> list[str]:
    """Return the figures as lines to read."""
    lines = [
        f"exact match {figures['exact_match']:.2%} of {figures['n']} held-out samples, "
        f"token accuracy {figures['token_accuracy']:.3%}",
    ]
    if "bleu" in figures:
        lines.append(_quality(figures))
    if cut := figures.get("n_unfinished"):
        lines.append(f"{cut} of {figures['n']} outputs are cut at the length limit")
    if own := figures.get("own_pairs"):
        lines.append(f"own pairs: exact match {own['exact_match']:.2%} of {own['n']}")
        lines.append(_quality(own))
    if (pronoun := figures["pronoun"]) is not None:
        rules = ", ".join(f"{name} {share:.1%}" for name, share in pronoun["baselines"].items())
        lines.append(f"pronouns {pronoun['accuracy']:.2%} of {pronoun['n']} (rules: {rules})")
    return lines


def _quality(figures: dict[str, Any]) -> str:
    """Return BLEU and chrF as a line to read, with sacrebleu's signature."""
    from ..runs.metrics import bleu_name, counted_by_bleu

    signature = figures.get("bleu_signature", "")
    bleu = f"{bleu_name(counted_by_bleu(signature))} {figures['bleu']:.2f}"
    return f"{bleu}   chrF2 {figures['chrf']:.2f}   {signature}"
