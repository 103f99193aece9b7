"""One attention head in numbers: every step between what it is given and what it adds.

Q query positions, K key positions, H heads, E width of one head (d_k for queries and keys, d_v for
values), D model width, X the heads' widths one after the other (H × E).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.batch import one_row
from core.decoding.sentence import translate
from core.heads import Head
from core.model import (
    Probes,
    Record,
    Step,
    Transformer,
)
from core.model.attention import MultiHeadAttention, Stage
from core.runs.run import Run

Values = NDArray[np.float32]

_RECORDED = frozenset(
    {
        *(Step.MEMORY, Step.QUERY_INPUT, Step.VISIBLE, Step.QUERY, Step.KEY, Step.VALUE),
        *(Step.PRODUCTS, Step.SCORES, Step.MASKED_SCORES, Step.WEIGHTS, Step.MIXED, Step.ADDED),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """x W + b: what every position is given, this head's part of the weights, what comes of it."""

    given_KD: Values
    weight_DE: Values
    bias_E: Values
    made_KE: Values


@dataclass(frozen=True, slots=True, eq=False)
class HeadSteps:
    """Everything that one head does with one sentence, as the model's own pass computed it."""

    head: Head
    norm: str
    """Class of the norm that the stream goes through before it comes in (pre-norm), or empty."""
    memory_symbol: str
    """What keys and values are made of: x, the sequence itself, or m, what the encoder made."""
    formulas: Mapping[Stage, str]
    """The head's stages in order, each with its formula in LaTeX."""
    query: Projection
    """In the place of K stands Q."""
    key: Projection
    value: Projection
    products_QK: Values
    """q·k."""
    scores_QK: Values
    """Divided by √d_k."""
    visible_QK: NDArray[np.bool_]
    masked_QK: Values
    """The scores with −∞ where a query may not look."""
    weights_QK: Values
    mixed_QHE: Values
    """What all heads of the sublayer mixed, side by side; this head's is `mixed_QE`."""
    output_HED: Values
    """W^O, cut into the rows that read each head."""
    output_bias_D: Values
    term_QD: Values
    """What this head's rows of W^O make of `mixed_QE`: this head's share of the sum."""
    added_QD: Values
    """What the sublayer adds to the stream: all heads' terms and the bias."""

    @property
    def mixed_QE(self) -> Values:
        """The weighted mean of the values, for each query."""
        return np.ascontiguousarray(self.mixed_QHE[:, self.head.index])

    @property
    def concatenated_QX(self) -> Values:
        """All heads' mixed values, one after the other."""
        return self.mixed_QHE.reshape(len(self.mixed_QHE), -1)

    @property
    def n_heads(self) -> int:
        """Heads of the sublayer."""
        return self.mixed_QHE.shape[1]

    @property
    def d_k(self) -> int:
        """Width of a query and of a key."""
        return self.query.made_KE.shape[1]

    @property
    def d_v(self) -> int:
        """Width of a value."""
        return self.value.made_KE.shape[1]

    @property
    def divisor(self) -> float:
        """√d_k, by which products are divided."""
        return math.sqrt(self.d_k)


def head_steps(run: Run, sentence: str, head: Head) -> HeadSteps:
    """Record one head's steps in one pass over a sentence and the model's own translation of it.

    The pass is that of `core.inspection.inspect_sentence`: the weights are the same, bit by bit.

    Args:
        run: A loaded run.
        sentence: The source; cut where it is longer than the model's positions.
        head: Whose.

    Raises:
        SentenceError: There is no text.
    """
    translation = translate(run, sentence)
    record = Record(_RECORDED, frozenset({head.site}))
    # The second keeps nothing, and lets all other sublayers take the path they take when watched.
    probes = Probes([record, Record(frozenset())])
    with torch.inference_mode():
        run.model(one_row(translation.source_ids), one_row(translation.fed_ids), probes)
        steps = {step: tensor[0] for (_, step), tensor in record.tensors.items()}
        return _cut_out(run.model, steps, head)


def _cut_out(model: Transformer, steps: Mapping[Step, Tensor], head: Head) -> HeadSteps:
    (attention, residual), number = model.block(head.site), head.index
    if not isinstance(attention, MultiHeadAttention):
        raise ValueError(f"{head.site} has no heads")
    n_heads, n_queries, n_keys = steps[Step.WEIGHTS].shape
    mixed_QHE = steps[Step.MIXED].transpose(0, 1)
    # A linear layer holds its matrix with a row for each number that it makes.
    output_HED = attention.output.weight.T.unflatten(0, (n_heads, -1))
    visible_QK = steps[Step.VISIBLE].expand(n_queries, n_keys)

    def projection(given: Step, layer: nn.Linear, made: Step) -> Projection:
        return Projection(
            given_KD=_array(steps[given]),
            weight_DE=_array(layer.weight.unflatten(0, (n_heads, -1))[number].T),
            bias_E=_array(layer.bias.unflatten(0, (n_heads, -1))[number]),
            made_KE=_array(steps[made][number]),
        )

    return HeadSteps(
        head=head,
        norm=type(residual.norm).__name__ if residual.given is Step.AFTER_NORM else "",
        memory_symbol=attention.memory_symbol,
        formulas=attention.stages(number),
        query=projection(Step.QUERY_INPUT, attention.query, Step.QUERY),
        key=projection(Step.MEMORY, attention.key, Step.KEY),
        value=projection(Step.MEMORY, attention.value, Step.VALUE),
        products_QK=_array(steps[Step.PRODUCTS][number]),
        scores_QK=_array(steps[Step.SCORES][number]),
        visible_QK=visible_QK.numpy().copy(),
        masked_QK=_array(steps[Step.MASKED_SCORES][number]),
        weights_QK=_array(steps[Step.WEIGHTS][number]),
        mixed_QHE=_array(mixed_QHE),
        output_HED=_array(output_HED),
        output_bias_D=_array(attention.output.bias),
        term_QD=_array(mixed_QHE[:, number] @ output_HED[number]),
        added_QD=_array(steps[Step.ADDED]),
    )


def _array(tensor: Tensor) -> Values:
    """Return a copy in row order, so that nothing of the model or of other heads is kept."""
    return np.array(tensor.detach().cpu().numpy(), np.float32, order="C")
