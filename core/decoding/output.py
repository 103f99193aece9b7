"""The output layer, number by number: how scores become probabilities.

V vocabulary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from core.decoding.step import DecodeStep
from core.runs.run import Run

ROWS = 12


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One token from score to probability, or all the others together."""

    token: int | None
    """Its id; None for the others."""
    logit: float | None
    """The model's score z."""
    scaled: float | None
    """z / τ."""
    exponential: float
    """exp(z / τ − the largest z / τ): the subtraction changes no probability, and keeps the
    exponentials finite."""
    probability: float
    """The exponential divided by the sum of all."""


def output_rows(logits_V: Tensor, temperature: float) -> list[ScoreRow]:
    """Return the tokens with the highest scores, best first, and all others as the last row.

    Args:
        logits_V: One score for each token; −∞ for those that are never written.
        temperature: τ, which divides the scores.
    """
    scaled_V = logits_V.double() / temperature
    exponentials_V = (scaled_V - scaled_V.max()).exp()
    probabilities_V = exponentials_V / exponentials_V.sum()
    order_V = logits_V.argsort(descending=True, stable=True)
    first_N, rest_V = order_V[:ROWS], order_V[ROWS:]
    columns = (logits_V, scaled_V, exponentials_V, probabilities_V)
    rows = zip(first_N.tolist(), *(each_V[first_N].tolist() for each_V in columns), strict=True)
    exponential, probability = (float(each_V[rest_V].sum()) for each_V in columns[2:])
    others = ScoreRow(None, None, None, exponential, probability)
    return [*(ScoreRow(*row) for row in rows), others]


@dataclass(frozen=True, slots=True)
class OutputLayer:
    """One step from the scores to the probabilities."""

    rows: tuple[ScoreRow, ...]
    """The most probable tokens, and all others as the last row."""
    tokens: tuple[str, ...]
    """The text of each row's token; empty for the others."""
    n_others: int
    """The number of tokens in the last row."""

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return the rows as columns."""
        return {
            "token_id": [row.token for row in self.rows],
            "token": self.tokens,
            "z": [row.logit for row in self.rows],
            "scaled": [row.scaled for row in self.rows],
            "exponential": [row.exponential for row in self.rows],
            "probability": [row.probability for row in self.rows],
        }


def output_layer(
    run: Run, steps: Sequence[DecodeStep], step: int, temperature: float
) -> OutputLayer:
    """Return what the output layer computes at one step of a decoding, at a temperature τ."""
    logits_V = steps[step].logits_V
    rows = output_rows(logits_V, temperature)
    ids = [row.token for row in rows if row.token is not None]
    names = [token.text for token in run.target_tokenizer.describe_alone(ids)]
    return OutputLayer(tuple(rows), (*names, ""), len(logits_V) - len(ids))
