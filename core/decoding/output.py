"""The output layer, number by number: how a vector becomes scores, and scores probabilities.

D model width, V vocabulary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..batch import one_row
from ..model import Record, Step, Transformer
from ..model.norm import normalise
from ..runs.run import Run
from .sentence import model_input
from .step import DecodeStep

ROWS = 10
LARGEST_PRODUCTS = 3
"""Products of a score that are named; the others are added up."""


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
class ScoreSum:
    """The score of one token: z = x · w + b, with w its row of the output matrix."""

    products: tuple[float, ...]
    """The products x_d · w_d that are farthest from 0."""
    others: float
    """All other products, added up."""
    bias: float | None
    """Of the token; None in a model without."""


@dataclass(frozen=True, slots=True)
class OutputLayer:
    """One step from the last vector to the probabilities."""

    rows: tuple[ScoreRow, ...]
    """The most probable tokens, and all others as the last row."""
    tokens: tuple[str, ...]
    """The text of each row's token; empty for the others."""
    n_others: int
    """The number of tokens in the last row."""
    sums: tuple[ScoreSum, ...]
    """How the score of each of these tokens is computed; none where a pointer copies words."""
    d_model: int
    """The number of products of a score."""
    length: float
    """The Euclidean norm of the vector."""

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return the rows as columns."""
        found: dict[str, Sequence[object]] = {
            "token_id": [row.token for row in self.rows],
            "token": self.tokens,
            "z": [row.logit for row in self.rows],
            "scaled": [row.scaled for row in self.rows],
            "exponential": [row.exponential for row in self.rows],
            "probability": [row.probability for row in self.rows],
        }
        if self.sums:
            for at in range(len(self.sums[0].products)):
                found[f"product_{at}"] = [*(each.products[at] for each in self.sums), None]
            found["other_products"] = [*(each.others for each in self.sums), None]
            found["bias"] = [*(each.bias for each in self.sums), None]
        return found


def output_layer(
    run: Run, sentence: str, steps: Sequence[DecodeStep], step: int, temperature: float
) -> OutputLayer:
    """Return what the output layer computes at one step of a decoding."""
    logits_V = steps[step].logits_V
    rows = output_rows(logits_V, temperature)
    ids = [row.token for row in rows if row.token is not None]
    names = [token.text for token in run.target_tokenizer.describe_alone(ids)]
    given = model_input(run, sentence)
    x_D = last_vector(run.model, given.source_ids, steps[step].prefix)
    sums = () if run.model.config.pointer else score_sums(run.model, x_D, ids)
    return OutputLayer(
        rows=tuple(rows),
        tokens=(*names, ""),
        n_others=len(logits_V) - len(ids),
        sums=sums,
        d_model=len(x_D),
        length=float(x_D.norm()),
    )


@torch.inference_mode()
def last_vector(model: Transformer, source_ids: Sequence[int], prefix: Sequence[int]) -> Tensor:
    """Return x_D, the vector from which the model scores the token after a prefix."""
    top = model.layers()[-1].blocks()[-1][1].site
    record = Record(frozenset({Step.STREAM_OUT}), frozenset({top}))
    model(one_row(source_ids), one_row(prefix), record)
    x_BTD = normalise(model.decoder_norm, record.tensors[top, Step.STREAM_OUT], None)
    return model.output_input(x_BTD)[0, -1]


def score_sums(model: Transformer, x_D: Tensor, ids: Sequence[int]) -> tuple[ScoreSum, ...]:
    """Return how the score of each token is computed from the last vector, x_D."""
    output = model.output
    found = []
    for token in ids:
        products_D = x_D.double() * output.weight[token].detach().double()
        order_D = products_D.abs().argsort(descending=True, stable=True)
        largest_N = products_D[order_D[:LARGEST_PRODUCTS]]
        others = float(products_D[order_D[LARGEST_PRODUCTS:]].sum())
        bias = None if output.bias is None else float(output.bias[token].detach())
        found.append(ScoreSum(tuple(largest_N.tolist()), others, bias))
    return tuple(found)
