"""One attention head in numbers: every step between what it is given and what it adds.

Q query positions, K key positions, H heads, E width of one head (d_k for queries and keys, d_v for
values), D model width, X the heads' widths one after the other (H × E).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...batch import one_row
from ...decoding.sentence import translate
from ...describe.formulas import Stage, formulas, memory_symbol
from ...heads import Head, Side
from ...inspection import Inspection
from ...model import (
    Probes,
    Record,
    Step,
    Transformer,
)
from ...model.attention import MultiHeadAttention
from ...model.scoring import attention_weights
from ...runs.run import Run, RunError
from ...tokenizer.tokenizer import Token

Values = NDArray[np.float32]
_OF_HEADS = 3
"""Axes of what each head has of its own, in one sentence."""
_CLOSE = 1e-4
"""Largest difference between two ways to the same numbers, relative to the largest number."""
_RECORDED = frozenset(
    {
        *(Step.MEMORY, Step.QUERY_INPUT, Step.VISIBLE, Step.QUERY, Step.KEY, Step.VALUE),
        *(Step.ROTATED_QUERY, Step.ROTATED_KEY, Step.POSITION_BIAS),
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
class Turned:
    """Queries or keys that are turned by their positions, pair by pair (N pairs)."""

    made_KE: Values
    cos_KN: Values
    sin_KN: Values

    def pair_of(self, column: int) -> tuple[int, int, int]:
        """Return the pair that a number is in: which one, and its two numbers."""
        n_pairs = self.cos_KN.shape[1]
        pair = column % n_pairs
        return pair, pair, pair + n_pairs


@dataclass(frozen=True, slots=True, eq=False)
class HeadSteps:
    """Everything that one head does with one sentence, as the model's own pass computed it."""

    head: Head
    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
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
    turned_query: Turned | None
    turned_key: Turned | None
    """None where positions turn nothing."""
    has_bias: bool
    """Whether the projections add one."""
    divisor: float
    """What products are divided by: √d_k in the paper."""
    position_bias_QK: Values | None
    """What the distance adds to the scores; None where nothing is added."""
    products_QK: Values
    """q·k."""
    scores_QK: Values
    """Divided, and with the bias of the distance."""
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
    def compared_QE(self) -> Values:
        """The queries that meet keys: turned where positions turn them."""
        return self.query.made_KE if self.turned_query is None else self.turned_query.made_KE

    @property
    def compared_KE(self) -> Values:
        """The keys that meet queries."""
        return self.key.made_KE if self.turned_key is None else self.turned_key.made_KE

    @property
    def unbiased_QK(self) -> Values:
        """The scores without what the distance adds."""
        return np.asarray(self.products_QK / np.float32(self.divisor), np.float32)


def head_steps(
    run: Run, sentence: str, head: Head, inspection: Inspection | None = None
) -> HeadSteps:
    """Record one head's steps in one pass over a sentence and the model's own translation of it.

    The pass is that of `core.inspection.inspect_sentence`: the weights are the same, bit by bit.

    Raises:
        RunError: The weights are more than the softmax of the scores.
    """
    translation = translate(run, sentence) if inspection is None else inspection.translation
    tokens: dict[Side, tuple[Token, ...]] = {
        "source": run.tokenizer.describe(translation.source_ids),
        "target": run.target_tokenizer.describe(translation.fed_ids),
    }
    record = Record(_RECORDED, frozenset({head.site}))
    # The second keeps nothing, and lets all other sublayers take the path they take when watched.
    probes = Probes([record, Record(frozenset())])
    with torch.inference_mode():
        run.model(one_row(translation.source_ids), one_row(translation.fed_ids), probes)
        steps = {step: tensor[0].cpu() for (_, step), tensor in record.tensors.items()}
        cut_out = _of_library if run.model.config.architecture else _cut_out
        return cut_out(run.model, steps, head, tokens)


def _cut_out(
    model: Transformer,
    steps: Mapping[Step, Tensor],
    head: Head,
    tokens: Mapping[Side, tuple[Token, ...]],
) -> HeadSteps:
    (attention, residual), number = model.block(head.site), head.index
    if not isinstance(attention, MultiHeadAttention):
        raise ValueError(f"{head.site} has no heads")
    n_heads, n_queries, n_keys = steps[Step.WEIGHTS].shape
    mixed_QHE = steps[Step.MIXED].transpose(0, 1)
    output_HED = attention.output_HED
    visible_QK = steps[Step.VISIBLE].expand(n_queries, n_keys)

    shared = number * attention.n_kv_heads // n_heads

    def projection(given: Step, layer: nn.Linear, made: Step) -> Projection:
        n_sets = n_heads if layer is attention.query else attention.n_kv_heads
        own = number if layer is attention.query else shared
        weight_ED = layer.weight.unflatten(0, (n_sets, -1))[own]
        bias_E = weight_ED.new_zeros(len(weight_ED))
        if layer.bias is not None:
            bias_E = layer.bias.unflatten(0, (n_sets, -1))[own]
        # Several heads may share what was made: it is kept once, or once for each.
        of_head = number if len(steps[made]) == n_heads else shared
        return Projection(
            given_KD=_array(steps[given]),
            weight_DE=_array(weight_ED.T),
            bias_E=_array(bias_E),
            made_KE=_array(steps[made][of_head]),
        )

    def turned(made: Step) -> Turned | None:
        if attention.rotary is None:
            return None
        made_KE = steps[made][number]
        cos_KN, sin_KN = attention.rotary.cos_sin(0, len(made_KE), made_KE.dtype)
        return Turned(_array(made_KE), _array(cos_KN), _array(sin_KN))

    bias_QK = steps.get(Step.POSITION_BIAS)
    output_bias_D = attention.output.bias

    return HeadSteps(
        head=head,
        queries=tokens[head.kind.query_side],
        keys=tokens[head.kind.key_side],
        norm=type(residual.norm).__name__ if residual.input_step is Step.AFTER_NORM else "",
        memory_symbol=memory_symbol(attention),
        formulas=formulas(attention, number),
        query=projection(Step.QUERY_INPUT, attention.query, Step.QUERY),
        key=projection(Step.MEMORY, attention.key, Step.KEY),
        value=projection(Step.MEMORY, attention.value, Step.VALUE),
        turned_query=turned(Step.ROTATED_QUERY),
        turned_key=turned(Step.ROTATED_KEY),
        has_bias=attention.query.bias is not None,
        divisor=attention.divided_by,
        position_bias_QK=None if bias_QK is None else _array(bias_QK[number]),
        products_QK=_array(steps[Step.PRODUCTS][number]),
        scores_QK=_array(steps[Step.SCORES][number]),
        visible_QK=visible_QK.numpy().copy(),
        masked_QK=_array(steps[Step.MASKED_SCORES][number]),
        weights_QK=_array(steps[Step.WEIGHTS][number]),
        mixed_QHE=_array(mixed_QHE),
        output_HED=_array(output_HED),
        output_bias_D=_array(
            output_HED.new_zeros(output_HED.shape[2]) if output_bias_D is None else output_bias_D
        ),
        term_QD=_array(mixed_QHE[:, number] @ output_HED[number]),
        added_QD=_array(steps[Step.ADDED]),
    )


def _of_library(
    model: Transformer,
    steps: Mapping[Step, Tensor],
    head: Head,
    tokens: Mapping[Side, tuple[Token, ...]],
) -> HeadSteps:
    """Return the steps of a head whose matrices are not known: those from queries and keys on."""
    number = head.index
    of_head = {step: each[number] for step, each in steps.items() if each.dim() == _OF_HEADS}
    if not _are_close(attention_weights(of_head[Step.MASKED_SCORES]), of_head[Step.WEIGHTS]):
        raise RunError(
            "the weights of {site} are more than the softmax of its scores", site=head.site
        )
    scores_QK, products_QK = of_head[Step.SCORES], of_head[Step.PRODUCTS]
    query_QE, key_KE, value_KE = (of_head[each] for each in (Step.QUERY, Step.KEY, Step.VALUE))
    divisors = (1.0, math.sqrt(query_QE.shape[1]))
    divisor = next((each for each in divisors if _are_close(products_QK / each, scores_QK)), None)
    mixed_QHE, added_QD = steps[Step.MIXED].transpose(0, 1), steps[Step.ADDED]
    output_HED, bias_D = _output_of(model, head, mixed_QHE, added_QD)
    sum_QD = torch.einsum("qhe,hed->qd", mixed_QHE, output_HED)
    known = {
        Stage.PRODUCTS: divisor is not None and _are_close(query_QE @ key_KE.T, products_QK),
        Stage.OUTPUT: _are_close(sum_QD if bias_D is None else sum_QD + bias_D, added_QD),
    }
    sizes = {"n_heads": mixed_QHE.shape[1], "d_k": query_QE.shape[1], "d_v": value_KE.shape[1]}

    def projection(made_KE: Tensor) -> Projection:
        nothing = np.empty((0, added_QD.shape[1]), np.float32)
        return Projection(nothing, nothing, nothing, _array(made_KE))

    return HeadSteps(
        head=head,
        queries=tokens[head.kind.query_side],
        keys=tokens[head.kind.key_side],
        norm="",
        memory_symbol="",
        formulas=_known_formulas(head, sizes, divisor or 1.0, bias_D, known),
        query=projection(query_QE),
        key=projection(key_KE),
        value=projection(value_KE),
        turned_query=None,
        turned_key=None,
        has_bias=bias_D is not None,
        divisor=divisor or 1.0,
        position_bias_QK=None if divisor else _array(scores_QK - products_QK),
        products_QK=_array(products_QK),
        scores_QK=_array(scores_QK),
        visible_QK=steps[Step.VISIBLE].numpy().copy(),
        masked_QK=_array(of_head[Step.MASKED_SCORES]),
        weights_QK=_array(of_head[Step.WEIGHTS]),
        mixed_QHE=_array(mixed_QHE),
        output_HED=_array(output_HED),
        output_bias_D=_array(torch.zeros_like(added_QD[0]) if bias_D is None else bias_D),
        term_QD=_array(mixed_QHE[:, number] @ output_HED[number]),
        added_QD=_array(added_QD),
    )


def _output_of(
    model: Transformer, head: Head, mixed_QHE: Tensor, added_QD: Tensor
) -> tuple[Tensor, Tensor | None]:
    """Return output_HED, or zeros, and bias_D: what is added beside it at each position."""
    output_HED = cast(MultiHeadAttention, model.block(head.site)[0]).output_HED
    if output_HED is None:
        return mixed_QHE.new_zeros((*mixed_QHE.shape[1:], added_QD.shape[1])), None
    output_HED = output_HED.cpu()
    sum_QD = torch.einsum("qhe,hed->qd", mixed_QHE, output_HED)
    has_bias = not _are_close(sum_QD, added_QD)
    return output_HED, (added_QD - sum_QD).mean(dim=0) if has_bias else None


def _known_formulas(
    head: Head,
    sizes: Mapping[str, int],
    divisor: float,
    bias_D: Tensor | None,
    known: Mapping[Stage, bool],
) -> dict[Stage, str]:
    """Return the formulas of the stages of which the numbers are known."""
    attention = SimpleNamespace(
        **sizes,
        site=head.site,
        query=SimpleNamespace(in_features=0, bias=None),
        output=SimpleNamespace(bias=bias_D),
        rotary=None,
        shared="nothing",
        scores="dot",
        divisor=None,
        divided_by=divisor,
        has_bias_of_distances=False,
    )
    without = {Stage.QUERIES, Stage.KEYS, Stage.VALUES}
    without |= set() if known[Stage.PRODUCTS] else {Stage.PRODUCTS, Stage.SCALE}
    without |= set() if known[Stage.OUTPUT] else {Stage.OUTPUT}
    found = formulas(cast(MultiHeadAttention, attention), head.index)
    return {stage: text for stage, text in found.items() if stage not in without}


def _are_close(one: Tensor, other: Tensor) -> bool:
    return bool((one - other).abs().max() <= _CLOSE * other.abs().max())


def _array(tensor: Tensor) -> Values:
    """Return a copy in row order, so that nothing of the model or of other heads is kept."""
    return np.array(tensor.detach().cpu().numpy(), np.float32, order="C")
