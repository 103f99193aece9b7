"""Pairs of one's own: what a run learns of them, and a plain `nn.Transformer` in the same minutes.

    python -m benchmarks.own_corpora [--corpus NAME ...] [--file PAIRS] [--pairs N] [--steps N]

The pairs are written to a file, from which `python -m core train --preset medium` learns with no
setting changed but the number of steps, which is smaller. The plain loop then learns the same part
of the same pairs, split to the same tokens, for as many seconds as that command took: with the same
sizes, batch, dropout and label smoothing, the paper's learning rate, and batches in the order of a
shuffled epoch. Both are measured on the same held-out pairs, decoded greedily.
"""

import argparse
import itertools
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from benchmarks.made_corpora import CORPORA, pairs
from benchmarks.training import Plain
from core.batch import Batch, Pair, collate, encode_samples, encode_source, pad
from core.config.training import TrainConfig
from core.decoding.many import translate_all
from core.evaluate.bleu import corpus_bleu
from core.evaluate.loss import token_loss
from core.runs.run import Run, load_run
from core.tasks.corpus import Corpus, kept_corpus
from core.tokenizer.tokenizer import Tokenizer
from core.training.loop import learning_rate
from core.vocabulary import BOS, EOS

N_PAIRS, STEPS = 30_000, 1_000
N_MEASURED = 1_000
_AT_ONCE = 100


@dataclass(frozen=True)
class Figures:
    """How good sentences are, measured by what they were to be."""

    bleu: float
    exact_match: float
    steps: int


def main() -> None:
    """Print a row for each corpus."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--file", type=Path, help="a file of pairs instead")
    parser.add_argument("--pairs", type=int, default=N_PAIRS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE")
    parser.add_argument("--only-ours", action="store_true")
    asked = parser.parse_args()
    print(f"{'':10}{'pairs':>9}{'tokens':>8}{'min':>7}{'':16}{'steps':>8}{'BLEU':>8}{'exact':>8}")
    for name in [asked.file] if asked.file else asked.corpus:
        with tempfile.TemporaryDirectory() as folder:
            file = asked.file or _written(Path(folder) / "pairs.tsv", pairs(name, asked.pairs))
            seconds = _train(Path(folder) / "run", file, asked.steps, asked.set)
            run, corpus = load_run(Path(folder) / "run"), kept_corpus(Path(folder) / "run")
            rows = {"ours": _ours(run, corpus)}
            if not asked.only_ours:
                rows["plain loop"] = _plain(run, corpus, seconds)
        n_tokens = run.tokenizer.vocab_size
        label = f"{file.stem if asked.file else name:10}{len(corpus.samples):>9,}{n_tokens:>8,}"
        for who, found in rows.items():
            print(
                f"{label}{seconds / 60:7.1f}   {who:13}{found.steps:>8,}{found.bleu:8.2f}"
                f"{found.exact_match:8.1%}",
                flush=True,
            )


def _written(file: Path, rows: Sequence[tuple[str, str]]) -> Path:
    file.write_text("".join(f"{source}\t{target}\n" for source, target in rows), encoding="utf-8")
    return file


def _train(run: Path, file: Path, steps: int, settings: Sequence[str]) -> float:
    """Train by the command line; return the seconds it took, all that is measured included."""
    command = [sys.executable, "-m", "core", "train", str(run), "--task", str(file)]
    options = [word for each in settings for word in ("--set", each)]
    started = time.perf_counter()
    subprocess.run(
        [*command, "--preset", "medium", "--steps", str(steps), *options],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


def _ours(run: Run, corpus: Corpus) -> Figures:
    samples = corpus.held_out_samples(N_MEASURED)
    written = list(translate_all(run, [sample.source for sample in samples], 1))
    said = {each.index: each.text for batch in written for each in batch}
    texts = [said[index] for index in range(len(samples))]
    return _figures(texts, [sample.target for sample in samples], run.step)


def _plain(run: Run, corpus: Corpus, seconds: float) -> Figures:
    """Learn for so many seconds in a plain loop, and measure the same pairs."""
    config, training = run.settings.model, replace(run.settings.training, cooldown=0)
    torch.manual_seed(training.seed)
    model = Plain(config).train()
    optimizer = torch.optim.Adam(
        model.parameters(), betas=training.adam_betas, eps=training.adam_eps
    )
    deadline = time.perf_counter() + seconds
    learned = encode_samples(run.tokenizer, corpus.part("train"))
    step = 0
    for step, batch in enumerate(_epochs(learned, training), start=1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, config.d_model, training)
        optimizer.zero_grad()
        logits_BTV = model(batch.source_BS, batch.fed_BT)
        token_loss(logits_BTV, batch.labels_BT, training.label_smoothing).backward()
        optimizer.step()
        if time.perf_counter() > deadline:
            break
    samples = corpus.held_out_samples(N_MEASURED)
    said = _translated(model.eval(), run.tokenizer, [sample.source for sample in samples])
    return _figures(said, [sample.target for sample in samples], step)


def _epochs(learned: Sequence[Pair], training: TrainConfig) -> Iterator[Batch]:
    rng = random.Random(training.seed)
    while True:
        shuffled = rng.sample(learned, len(learned))
        for start in range(0, len(shuffled), training.batch_size):
            yield collate(shuffled[start : start + training.batch_size])


@torch.inference_mode()
def _translated(model: Plain, tokenizer: Tokenizer, sources: Sequence[str]) -> list[str]:
    """Decode greedily: everything that was written is computed anew at each step."""
    said = []
    for start in range(0, len(sources), _AT_ONCE):
        encoded = [encode_source(tokenizer, text) for text in sources[start : start + _AT_ONCE]]
        source_BS = pad(encoded)
        written_BT = torch.full((len(encoded), 1), BOS)
        for _ in range(2 * source_BS.shape[1] + 30):
            next_B = model(source_BS, written_BT)[:, -1].argmax(-1)
            next_B[(written_BT == EOS).any(1)] = EOS
            written_BT = torch.cat([written_BT, next_B[:, None]], dim=1)
            if bool((next_B == EOS).all()):
                break
        said += [_text(tokenizer, row[1:]) for row in written_BT.tolist()]
    return said


def _text(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    return tokenizer.decode(list(itertools.takewhile(lambda token: token != EOS, ids)))


def _figures(said: Sequence[str], true: Sequence[str], steps: int) -> Figures:
    alike = sum(one == other for one, other in zip(said, true, strict=True))
    return Figures(corpus_bleu(said, [true]).score, alike / len(true), steps)


if __name__ == "__main__":
    main()
