"""Measure a run on held-out samples: quality, pronouns, and what each head has to do with them."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.commands import options
from core.commands.options import CommandError, add_reading, reading_of, reading_words
from core.commands.progress import progress_printer
from core.decoding.beam import LARGEST_BEAM
from core.evaluate.evaluation import N_SAMPLES, SEED, evaluate, held_out_samples
from core.evaluate.metrics import FileScores, score_file
from core.heads import Head
from core.runs.metrics import bleu_name, counted_by_bleu
from core.runs.run import Run, load_run
from core.tasks import Sample
from core.tasks.pairs import read_pair_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run and how many samples."""
    add = parser.add_argument
    add("run", type=Path, metavar="RUN", help="such as gallery/translate")
    add("--n", type=options.samples, help=f"held-out samples; default: {N_SAMPLES}")
    add("--seed", type=options.seed, help=f"draws the samples; default: {SEED}")
    add(
        "--file",
        nargs="+",
        type=Path,
        metavar="PAIRS",
        help="measure on a file of pairs instead, or on two files of lines",
    )
    add_reading(parser)
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
    if not arguments.file and reading_words(arguments):
        raise CommandError(f"{reading_words(arguments)[0]} is for --file")
    if arguments.file:
        _score_file(arguments)
        return
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
        for line in summary(figures):
            print(line)


def _score_file(arguments: argparse.Namespace) -> None:
    """Print how good the run translates a file of pairs."""
    if len(arguments.file) > 2:
        raise CommandError("--file takes one file of pairs, or two files of lines")
    if given := [name for name in ("n", "seed") if getattr(arguments, name) is not None]:
        raise CommandError(f"--{given[0]} draws held-out samples; of --file all pairs count")
    found = read_pair_files(arguments.file, reading_of(arguments))
    for note in found.notes:
        print(note, file=sys.stderr)
    if not found.rows:
        raise CommandError(f"{arguments.file[0]}: there are no pairs in it")
    _print_scores(arguments, load_run(arguments.run), found.rows)


def _print_scores(arguments: argparse.Namespace, loaded: Run, samples: Sequence[Sample]) -> None:
    """Print how good pairs are translated, as they are written."""
    scores = score_file(
        loaded, samples, arguments.beam, progress_printer("translated", len(samples))
    )
    if arguments.json:
        print(json.dumps(asdict(scores)))
        return
    for line in score_lines(scores, "pairs"):
        print(line)
    if scores.n_unfinished:
        print(f"outputs cut at the length limit: {scores.n_unfinished:,}")
    if scores.n_cut:
        print(f"warning: sources cut to fit the model: {scores.n_cut:,}", file=sys.stderr)


def score_lines(scores: FileScores, pairs: str) -> list[str]:
    """Return how good pairs are translated, and how that was computed."""
    bleu = f"{bleu_name(counted_by_bleu(scores.signature))} {scores.bleu:.2f}"
    return [f"{bleu}   chrF2 {scores.chrf:.2f}   of {scores.n:,} {pairs}", scores.signature]


def summary(figures: dict[str, Any]) -> list[str]:
    """Return the figures as lines to read."""
    lines = [
        f"exact match     {figures['exact_match']:.2%} of {figures['n']} held-out samples",
        f"token accuracy  {figures['token_accuracy']:.3%}",
        f"{_bleu(figures):<15} {figures['bleu']:.2f}   chrF2 {figures['chrf']:.2f}",
    ]
    if signature := figures.get("bleu_signature"):
        lines.append(f"signature       {signature}")
    if cut := figures.get("n_unfinished"):
        lines.append(f"cut             {cut} of {figures['n']} outputs, at the length limit")
    if passes := figures.get("passes"):
        lines.append(f"passes          {passes} (mask-predict)")
    if own := figures.get("own_pairs"):
        lines.append(
            f"own pairs       {own['exact_match']:.2%} of {own['n']}   "
            f"{_bleu(own)} {own['bleu']:.2f}   chrF2 {own['chrf']:.2f}"
        )
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


def _bleu(figures: dict[str, Any]) -> str:
    return bleu_name(counted_by_bleu(figures.get("bleu_signature", "")))
