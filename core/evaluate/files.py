"""How good a run translates a file of pairs: the figures that papers give."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sacrebleu.metrics.chrf import CHRF

from core.decoding.many import translate_all
from core.evaluate.bleu import corpus_bleu
from core.runs.run import Run
from core.tasks import Sample


@dataclass(frozen=True, slots=True)
class FileScores:
    """Figures on the pairs of a file."""

    bleu: float
    """0 to 100, as the signature says it was computed."""
    chrf: float
    """chrF2, 0 to 100."""
    n: int
    """Pairs."""
    signature: str
    """Of BLEU: sacrebleu's."""
    beam: int
    n_cut: int
    """Sources that were cut to fit the model."""
    n_unfinished: int
    """Translations that were cut at the length limit."""


def score_file(
    run: Run,
    samples: Sequence[Sample],
    beam: int = 1,
    tell: Callable[[int], None] = lambda _: None,
) -> FileScores:
    """Translate the sources of pairs, and compare with their targets as they are written.

    Args:
        run: Its model and tokenizer.
        samples: At least one.
        beam: 1 for greedy decoding.
        tell: Called with the number of sentences that are done, after each batch.

    Raises:
        ConfigError: The beam is not 1 to 64.
    """
    written = []
    for batch in translate_all(run, [sample.source for sample in samples], beam):
        written += batch
        tell(len(written))
    written.sort(key=lambda each: each.index)
    said, true = [each.text for each in written], [sample.target for sample in samples]
    bleu = corpus_bleu(said, [true])
    return FileScores(
        bleu=bleu.score,
        # Rounding may bring a perfect score a hair above 100.
        chrf=min(100.0, float(CHRF().corpus_score(said, [true]).score)),
        n=len(samples),
        signature=bleu.signature,
        beam=beam,
        n_cut=sum(each.cut for each in written),
        n_unfinished=sum(not each.finished for each in written),
    )
