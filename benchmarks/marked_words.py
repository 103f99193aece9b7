"""How many of the words that are marked in a translation are wrong, and how many wrong ones are.

Run from the repository root: python -m benchmarks.marked_words PAIRS

PAIRS are the pairs that gallery/everyday learned from, see gallery/README.md. First comes BLEU of
1,000 pairs whose sources it never saw: it is that of gallery/README.md if they are the same. Of the
first 500 of them every word with a letter or a digit counts. A word is wrong if it is not matched
in a shortest edit (insert, delete, replace a word) of the translation into the reference; read more
strictly, if it is nowhere in the reference. Either counts a synonym as wrong: most sentences have
several good translations, and there is one reference.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.decoding.marked_words import UNSURE, WrittenWord
from core.evaluate.metrics import score_file
from core.inspection import inspect_sentence
from core.runs.run import Run, load_run
from core.tasks import Sample
from core.tasks.corpus import Corpus
from core.tasks.pairs import read_pair_files

N_SCORED, N_COUNTED = 1000, 500
THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Judged:
    """A word of a translation beside the reference."""

    word: WrittenWord
    matched: bool
    """Whether the shortest edit leaves it as it is."""
    present: bool
    """Whether the reference has such a word anywhere."""


def main(paths: Sequence[str]) -> None:
    """Print the tables."""
    if len(paths) != 1:
        sys.exit(__doc__)
    run = load_run(ROOT / "gallery" / "everyday")
    # Of each source the first target, as it was trained.
    first = {
        sample.source: sample for sample in reversed(read_pair_files([Path(paths[0])]).samples)
    }
    corpus = Corpus(paths[0], reversed(first.values()))
    samples = corpus.held_out_samples(N_SCORED)
    print(f"BLEU {score_file(run, samples).bleu:.2f} of {len(samples):,} pairs, greedy")
    judged = [each for sample in samples[:N_COUNTED] for each in judge(run, sample)]
    table(judged)


def judge(run: Run, sample: Sample) -> list[Judged]:
    """Return the words of a source's translation, compared with its target."""
    inspection = inspect_sentence(run, sample.source)
    tokenizer, text = run.target_tokenizer, inspection.translation.text
    reference = [word for word in tokenizer.words(sample.target) if any(map(str.isalnum, word))]
    words = [each.span.of(text) for each in inspection.written]
    kept = matched(words, reference)
    return [
        Judged(word, at in kept, words[at] in reference)
        for at, word in enumerate(inspection.written)
    ]


def matched(words: Sequence[str], reference: Sequence[str]) -> set[int]:
    """Return the words that a shortest edit into the reference leaves as they are.

    Of several shortest edits, one that leaves most.

    >>> sorted(matched("il a attendu la porte".split(), "il a vu cette porte".split()))
    [0, 1, 4]
    """
    # Edits, then words that are left, counted down: of equally many edits the smaller is better.
    best = [[(j, 0) for j in range(len(reference) + 1)]]
    for i, word in enumerate(words, start=1):
        row = [(i, 0)]
        for j, true in enumerate(reference, start=1):
            row.append(min(_steps(best[-1], row, j, same=word == true)))
        best.append(row)
    found, i, j = set(), len(words), len(reference)
    while i and j:
        same = words[i - 1] == reference[j - 1]
        across, down, _right = _steps(best[i - 1], best[i], j, same=same)
        if best[i][j] == across:
            i, j = i - 1, j - 1
            found |= {i} if same else set()
        elif best[i][j] == down:
            i -= 1
        else:
            j -= 1
    return found


def _steps(
    above: Sequence[tuple[int, int]], row: Sequence[tuple[int, int]], j: int, *, same: bool
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Return what comes of keeping or replacing a word, of deleting it, and of putting one in."""
    (across, kept), (down, kept_down), (right, kept_right) = above[j - 1], above[j], row[j - 1]
    return (
        (across + (not same), kept - same),
        (down + 1, kept_down),
        (right + 1, kept_right),
    )


def table(judged: Sequence[Judged]) -> None:
    """Print what each threshold marks, what an unseen source adds, and both together."""
    wrong = [sum(not each.matched for each in judged), sum(not each.present for each in judged)]
    shares = " and ".join(f"{n / len(judged):.0%}" for n in wrong)
    print(f"{len(judged):,} words, wrong {shares} (not matched, nowhere in the reference)\n")
    print("| marked | words | of all | wrong | wrong, strictly | of the wrong | strictly |")
    print("|---|---|---|---|---|---|---|")
    for threshold in THRESHOLDS:
        _row(f"p < {threshold:g}", judged, wrong, partial(_below, threshold))
    _row("unseen source", judged, wrong, lambda word: bool(word.unseen))
    _row(f"either (p < {UNSURE:g})", judged, wrong, lambda word: word.is_doubtful)


def _below(threshold: float, word: WrittenWord) -> bool:
    return word.probability < threshold


def _row(
    name: str,
    judged: Sequence[Judged],
    wrong: Sequence[int],
    marks: Callable[[WrittenWord], bool],
) -> None:
    marked = [each for each in judged if marks(each.word)]
    found = [sum(not each.matched for each in marked), sum(not each.present for each in marked)]
    shares = [n / max(1, len(marked)) for n in found]
    shares += [n / max(1, total) for n, total in zip(found, wrong, strict=True)]
    cells = [name, f"{len(marked):,}", *(f"{s:.0%}" for s in (len(marked) / len(judged), *shares))]
    print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main(sys.argv[1:])
