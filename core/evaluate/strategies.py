"""A sentence decoded by several strategies: how likely is each text, and does it repeat itself?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..decoding.beam import Beam
from ..decoding.choosing import Sampling
from ..decoding.generate import DecodingStrategy
from ..inspection import Inspection
from ..runs.run import Run
from .side_by_side import decode_sentence

STRATEGIES: tuple[DecodingStrategy, ...] = (
    *(Beam(width) for width in (1, 2, 4, 8)),
    *(Sampling(seed=seed) for seed in range(3)),
)
"""A beam of 1 is greedy decoding; samples are drawn from the model's own distribution."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text that one strategy decodes."""

    strategy: DecodingStrategy
    text: str
    log_probability: float
    """Sum over its tokens, in nats."""
    n_tokens: int
    repeated: float
    """Share of its pairs of neighbouring tokens that it has had before (seq-rep-2, Welleck et al.
    2020)."""


@dataclass(frozen=True, slots=True)
class StrategyComparison:
    """The texts of all `STRATEGIES`."""

    texts: tuple[DecodedText, ...]

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return a row for each strategy."""
        rows = self.texts
        return {
            "strategy": [repr(each.strategy) for each in rows],
            "text": [each.text for each in rows],
            "log_probability": [each.log_probability for each in rows],
            "n_tokens": [each.n_tokens for each in rows],
            "repeated": [each.repeated for each in rows],
        }


def compare_strategies(run: Run, inspection: Inspection) -> StrategyComparison:
    """Decode an inspected sentence by all `STRATEGIES`."""
    found = []
    for strategy in STRATEGIES:
        steps = decode_sentence(run, inspection, strategy)
        tokens = [step.chosen for step in steps]
        total = sum(step.log_probability for step in steps)
        text = run.target_tokenizer.decode(tokens)
        found.append(DecodedText(strategy, text, total, len(tokens), repeated_pairs(tokens)))
    return StrategyComparison(tuple(found))


def repeated_pairs(tokens: Sequence[int]) -> float:
    """Return the share of the pairs of neighbours that stood there before.

    >>> repeated_pairs([1, 1, 1]), repeated_pairs([1])
    (0.5, 0.0)
    """
    pairs = list(zip(tokens, tokens[1:], strict=False))
    return 1 - len(set(pairs)) / len(pairs) if pairs else 0.0
