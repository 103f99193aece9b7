"""How well words are aligned: by the chosen heads, by others, and by a statistical aligner.

Run from the repository root:
    pip install -r requirements-bench.txt
    python -m benchmarks.align [--reverse RUN] [--pairs FILE]

The error rate (AER) is measured on held-out sentences of the grammar, whose links it knows, and on
100 everyday pairs that were linked by hand (`tests/english_french_links.tsv`). Heads are chosen on
other held-out sentences of the grammar, or without any gold links by the agreement of rows and
columns; "best by oracle" is chosen on what it is measured on. eflomal learns from the pairs that it
aligns and from others: training sentences of the grammar, or of --pairs, on which the everyday
model was trained. Its links of both directions are joined as `align --reverse` joins them, which
takes a model that translates French to English, here of the grammar.
"""

import argparse
import random
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import eflomal

from core.device import use_one_thread
from core.evaluate.evaluation import held_out_samples
from core.evaluate.word_links import (
    GoldLinks,
    LinkQuality,
    WordLink,
    links_of_sample,
    read_gold,
    read_links,
    symmetrised,
)
from core.runs.run import Run, load_run
from core.studies.alignment import (
    N_SENTENCES,
    SEED,
    Aligner,
    Words,
    aligned,
    aligned_both_ways,
    choose_aligner,
    chosen,
    diagonal_links,
    measured,
)
from core.tasks import TASKS, Sample
from core.tasks.columns import Reading
from core.tasks.pairs import read_pair_files

ROOT = Path(__file__).parents[1]
BY_HAND = ROOT / "tests" / "english_french_links.tsv"
GRAMMAR = ("translate", "translate-guided", "everyday")
N_TO_LEARN = 20_000
Gold = Sequence[GoldLinks]
Found = Sequence[set[WordLink]]


def main() -> None:
    """Print a table for each model and set of pairs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--reverse", type=Path, help="a run that translates French to English")
    parser.add_argument("--pairs", type=Path, help="pairs of English and French to learn from")
    arguments = parser.parse_args()
    use_one_thread()
    for name in GRAMMAR:
        run = load_run(ROOT / "gallery" / name)
        words = [Words.of(each) for each in held_out_samples(run, N_SENTENCES, SEED)][1::2]
        gold = [links_of_sample(each.sample, each.source, each.target) for each in words]
        print(f"\n{name}, {len(words)} held-out sentences of the grammar")
        report_model(run, words, gold, arguments.reverse)
        if name == GRAMMAR[-1]:
            report_statistics(words, gold, grammar_samples())
    run = load_run(ROOT / "gallery" / "everyday")
    words = [Words.of(each) for each in read_pair_files([BY_HAND], Reading((0, 1))).rows]
    print(f"\neveryday, {len(words)} pairs linked by hand")
    report_model(run, words, read_gold(BY_HAND))
    others = read_pair_files([arguments.pairs]).samples if arguments.pairs else grammar_samples()
    report_statistics(words, read_gold(BY_HAND), others)


def report_model(run: Run, words: Sequence[Words], gold: Gold, reverse: Path | None = None) -> None:
    """Print the error rates of the heads of a model."""
    choice = choose_aligner(run)
    found = aligned(run, words, choice.aligner)
    report(f"chosen: {choice.aligner.name}", measured(words, _links(found), gold))
    blind = chosen(run, [Words.of(each) for each in held_out_samples(run, N_SENTENCES, SEED)][::2])
    report_aligner(f"without gold: {blind.aligner.name}", run, words, gold, blind.aligner)
    qualities = {
        each.aligner: measured(words, _links(aligned(run, words, each.aligner)), gold)
        for each in choice.tried
    }
    alone = {each: found for each, found in qualities.items() if len(each.heads) == 1}
    for name, among in (("best head by oracle", alone), ("best of all by oracle", qualities)):
        best = min(among, key=lambda each: among[each].aer.value)
        report(f"{name}: {best.name}", among[best])
    mean = max(qualities, key=lambda each: (len(each.heads), each.row == "predicted"))
    report("mean of all heads", qualities[mean])
    first = [each for each in alone if each.row == "predicted" and each.heads[0].index == 0][-1]
    report("first head of the last layer", qualities[first])
    report(
        "no model: the diagonal", measured(words, [diagonal_links(each) for each in words], gold)
    )
    if reverse is not None:
        other, both = aligned_both_ways(found, load_run(reverse))
        report(f"both directions, with {other.name}", measured(words, _links(both), gold))


def report_aligner(
    name: str, run: Run, words: Sequence[Words], gold: Gold, aligner: Aligner
) -> None:
    """Print the error rate of some heads."""
    report(name, measured(words, _links(aligned(run, words, aligner)), gold))


def _links(found: Sequence) -> Found:
    return [set(each.links) for each in found]


def report_statistics(words: Sequence[Words], gold: Gold, others: Sequence[Sample]) -> None:
    """Print the error rates of eflomal: one direction, and both joined."""
    forward, backward = with_eflomal(words, others)
    report(f"eflomal, learned from {len(others):,} pairs", measured(words, forward, gold))
    both = [symmetrised(*each) for each in zip(forward, backward, strict=True)]
    report("eflomal, both directions", measured(words, both, gold))


def with_eflomal(words: Sequence[Words], others: Sequence[Sample]) -> tuple[Found, Found]:
    """Align pairs with eflomal, which learns from them and from others; both directions."""
    texts = [*words, *map(Words.of, others)]
    sides = [
        [" ".join(each).lower() for each in side]
        for side in zip(*((each.source_texts, each.target_texts) for each in texts), strict=True)
    ]
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("forward", "backward")]
        eflomal.Aligner().align(
            *sides, links_filename_fwd=str(files[0]), links_filename_rev=str(files[1])
        )
        lines = [file.read_text().splitlines()[: len(words)] for file in files]
    forward, backward = ([set(read_links(line).sure) for line in each] for each in lines)
    return forward, backward


def grammar_samples() -> list[Sample]:
    """Return training sentences of the grammar."""
    return list(islice(TASKS["translate"].training_samples(random.Random(SEED)), N_TO_LEARN))


def report(name: str, quality: LinkQuality) -> None:
    """Print one line."""
    aer = quality.aer
    named = name if len(name) <= 76 else f"{name[:75]}…"
    print(
        f"{named:78}{aer.value:6.1%} [{aer.low:.1%}, {aer.high:.1%}]"
        f"{quality.precision.value:8.1%}{quality.recall.value:8.1%}"
    )


if __name__ == "__main__":
    main()
