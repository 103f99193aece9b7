"""How far each method of attribution agrees with leaving one out, over many sentences.

N sentences.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.evaluate.evaluation import held_out_pairs
from core.runs.run import Run
from core.studies.attribution.methods import Method, attribute, prediction_at

N_SENTENCES = 50
SEED = 0


@dataclass(frozen=True, slots=True)
class Trust:
    """Rank correlations of one method with leaving one out: one word of each sentence."""

    correlations: tuple[float, ...]
    """Of the sentences in which both put the tokens in an order."""
    undefined: int
    """Sentences in which one of the two says the same of every token."""

    @property
    def n(self) -> int:
        """Sentences with a correlation."""
        return len(self.correlations)

    @property
    def mean(self) -> float:
        """Of the correlations; 0 where there is none."""
        return float(np.mean(self.correlations)) if self.n else 0.0

    @property
    def deviation(self) -> float:
        """How far they spread: their standard deviation, 0 for fewer than two."""
        return float(np.std(self.correlations, ddof=1)) if self.n > 1 else 0.0

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """What a quarter, half and three quarters of them do not exceed."""
        if not self.n:
            return 0.0, 0.0, 0.0
        low, middle, high = np.quantile(self.correlations, (0.25, 0.5, 0.75))
        return float(low), float(middle), float(high)


def most_trusted(trust: Mapping[Method, Trust]) -> Method:
    """Return the method that agrees best with leaving one out, on average."""
    return max(trust, key=lambda method: trust[method].mean)


def held_out_trust(
    run: Run, n: int = N_SENTENCES, seed: int = SEED, *, whole_words: bool = False
) -> Mapping[Method, Trust]:
    """Return how far each method agrees with leaving one out, on held-out sentences.

    The word is one of the true target's, drawn at random for each sentence (EOS may be drawn), and
    is asked about after the true prefix.

    Args:
        run: A loaded run.
        n: Held-out sentences.
        seed: Draws them, and the words.
        whole_words: Whether the order is that of the source's words, and not of its tokens.

    Raises:
        RunError: The task is a file of pairs that cannot be used, or nothing fits the model.
    """
    pairs = held_out_pairs(run, n, seed)
    rng = random.Random(f"attribution {seed}")
    correlations: dict[Method, list[float]] = {}
    for pair in pairs:
        target_ids = pair.target[1:]
        target = prediction_at(pair.source, target_ids, rng.randrange(len(target_ids)))
        words = None
        if whole_words:
            words = [token.word for token in run.tokenizer.describe(pair.source)]
        for method, correlation in attribute(run.model, target, words).agreement.items():
            defined = correlations.setdefault(method, [])
            if correlation is not None:
                defined.append(correlation)
    return {
        method: Trust(tuple(defined), len(pairs) - len(defined))
        for method, defined in correlations.items()
    }
