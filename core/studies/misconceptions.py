"""Statements that course notes repeat and that are wrong: for each, the figures that refute it.

K positions, D model width, E width of one head, N pairs of words, L layers, H heads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from ..batch import one_row, pad
from ..decoding.sentence import longest_text, model_input, translate
from ..heads import Head, Site
from ..inspection import Inspection
from ..model import Probe, Probes, Record, Step, Transformer, Uniform, Unplace
from ..model.attention import MultiHeadAttention
from ..model.masks import causal_mask
from ..model.sublayers import FeedForward, LayerInputs, Sublayer
from ..runs.run import Run
from ..tokenizer.tokenizer import token_texts
from .experiments import EXPERIMENTS
from .experiments.experiment import BASE
from .experiments.results import Results
from .heads.largest_weights import pairs_of_words
from .lessons.sublayers import sublayer_inputs, sublayers

TOLERANCE = 1e-6
"""Singular values below this share of the largest do not count for a rank."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What refutes a statement."""

    values: tuple[float | None, ...]
    """None where the model has no such stack."""
    names: Mapping[str, str | int | Head] = field(default_factory=dict)
    """What they are values of: a head, words, numbers of tokens."""


def difference(one_KD: Tensor, other_KD: Tensor) -> float:
    """Return the largest ‖x − y‖ / (‖x‖ + ‖y‖) over positions: 0 where all are equal, at most 1."""
    lengths_K = one_KD.norm(dim=-1) + other_KD.norm(dim=-1)
    return float(((one_KD - other_KD).norm(dim=-1) / lengths_K).max())


@torch.inference_mode()
def change_by_target(run: Run, sentence: str) -> Figures:
    """Compare each stack's output with that when the target's words are fed in reverse order."""
    given = translate(run, sentence)
    first, *rest = given.fed_ids
    one = _outputs(run.model, given.source_ids, given.fed_ids)
    other = _outputs(run.model, given.source_ids, (first, *rest[::-1]))
    return Figures(tuple(difference(one[stack], other[stack]) for stack in one))


@torch.inference_mode()
def change_by_order(run: Run, sentence: str) -> Figures:
    """Compare each word's output, without positions, with that when all words are reversed.

    The decoder reads the reversed source, too: where the encoder does not notice, that alone
    changes nothing for it.
    """
    given = translate(run, sentence)
    sources, fed = range(len(given.source_ids)), range(len(given.fed_ids))
    orders = {"encoder": sources[::-1], "decoder": (*fed[:1], *fed[:0:-1])}
    reversed_ids = given.source_ids[::-1], [given.fed_ids[at] for at in orders["decoder"]]
    one = _outputs(run.model, given.source_ids, given.fed_ids, Unplace())
    other = _outputs(run.model, *reversed_ids, Unplace())
    values = (
        difference(one[stack][list(order)], other[stack]) if stack in one else None
        for stack, order in orders.items()
    )
    return Figures(tuple(values))


def _outputs(
    model: Transformer,
    source_ids: Sequence[int],
    fed_ids: Sequence[int],
    probe: Probe | None = None,
) -> dict[str, Tensor]:
    """Return x_KD of each stack behind its last layer."""
    sites = {stack: model.stream_sites(stack)[-1] for stack in model.config.stacks}
    record = Record(frozenset({Step.STREAM_OUT}), frozenset(sites.values()))
    probes = record if probe is None else Probes((probe, record))
    model(one_row(source_ids), one_row(fed_ids), probes)
    return {
        stack: record.tensors[site, Step.STREAM_OUT][0].double() for stack, site in sites.items()
    }


@torch.inference_mode()
def nonlinearity(run: Run, sentence: str) -> Figures:
    """Compare f(x + y) with f(x) + f(y), for W^O of the first layer and for its feed-forward layer.

    x and y are what each of them gets at the first position and at the last one. What the biases
    make, f(0), is taken away from f.
    """
    model, ids = run.model, _first_ids(run, sentence)
    both = cast(tuple[MultiHeadAttention, FeedForward], sublayers(model, 0))
    attention, feed_forward = both
    [mixed_BHKE] = _steps(model, ids, attention.site, Step.MIXED)

    def differs(function: nn.Module, x_KD: Tensor) -> float:
        x_D, y_D = x_KD[0], x_KD[-1]
        inputs_KD = torch.stack([x_D + y_D, x_D, y_D, torch.zeros_like(x_D)])
        *outputs, of_zero_D = function(inputs_KD[None])[0].double()
        both_D, of_x_D, of_y_D = (each - of_zero_D for each in outputs)
        return difference(both_D, of_x_D + of_y_D)

    mixed_KD, inner_KD = mixed_BHKE[0].transpose(0, 1).flatten(1), sublayer_inputs(model, 0, ids)[1]
    return Figures((differs(attention.output, mixed_KD), differs(feed_forward, inner_KD.float())))


@torch.inference_mode()
def change_by_another_word(run: Run, sentence: str) -> Figures:
    """Compare the last output of both sublayers with that when the first input is the last one.

    Every score is 0, as with Q = K = 0. The residual stream does not count.
    """
    model, ids = run.model, _first_ids(run, sentence)
    both = sublayers(model, 0)
    inputs = LayerInputs(None if model.config.n_encoder_layers else causal_mask(len(ids))[None])
    even = Uniform.of(both[0].site.heads(model.config.n_heads))

    def changes(sublayer: Sublayer, x_KD: Tensor) -> float:
        other_KD = torch.cat([x_KD[-1:], x_KD[1:]])
        one_D, other_D = (
            sublayer.added(each[None].float(), inputs, even)[0, -1].double()
            for each in (x_KD, other_KD)
        )
        return difference(one_D, other_D)

    return Figures(tuple(map(changes, both, sublayer_inputs(model, 0, ids))))


def changed_pair(one: Inspection, other: Inspection) -> Figures | None:
    """Return the weights of the two words, of those in both sentences, whose weight differs most.

    Args:
        one: Between words; of all heads of the self-attention of its first stack.
        other: Of the other sentence, by the same model.

    Returns:
        None where no such weight differs.
    """
    kind = next(site.attention for site in one.attention if site.is_self)
    tokens, others = (each.tokens_of(kind.query_side) for each in (one, other))
    if kind.causal:
        tokens = tokens[: one.n_typed]
    here, there = (
        {token.text: at for at, token in reversed([*enumerate(side)])} for side in (tokens, others)
    )
    words = pairs_of_words(tokens, tokens, kind)
    shared = [text for text in here if text in there]
    pairs = [(q, k) for q in shared for k in shared if words[here[q], here[k]]]
    if not pairs:
        return None
    weights_LHN, other_LHN = (
        np.stack(each.layers_of(kind))[:, :, *np.array([(at[q], at[k]) for q, k in pairs]).T]
        for each, at in ((one, here), (other, there))
    )
    difference_LHN = np.abs(weights_LHN - other_LHN)
    cell = np.unravel_index(difference_LHN.argmax(), difference_LHN.shape)
    if not difference_LHN[cell]:
        return None
    head = Head(one.sites_of(kind)[cell[0]], int(cell[1]))
    query, key = pairs[cell[2]]
    values = float(weights_LHN[cell]), float(other_LHN[cell])
    return Figures(values, {"head": head, "query": query, "key": key})


@torch.inference_mode()
def ranks(run: Run, sentence: str) -> Figures | None:
    """Return the ranks of the first head's QKᵀ, before the softmax and after it; nothing hidden.

    The text is the sentence and further tokens of the vocabulary: 2 d_k of them, all different.

    Returns:
        None where the model does not read more than d_k different tokens.
    """
    model, d_k = run.model, run.model.config.d_k
    different = dict.fromkeys((*_first_ids(run, sentence), *range(model.config.vocab_size)))
    ids = tuple(different)[: min(2 * d_k, longest_text(model))]
    if len(ids) <= d_k:
        return None
    head, query_KE, key_KE = _queries_keys(model, ids)
    products_KK = query_KE @ key_KE.T
    matrices = products_KK, (products_KK / d_k**0.5).softmax(dim=-1)
    values = (int(torch.linalg.matrix_rank(each, rtol=TOLERANCE)) for each in matrices)
    return Figures(tuple(values), {"head": head, "d_k": d_k, "n": len(ids)})


@torch.inference_mode()
def mirrored(run: Run, sentence: str) -> Figures | None:
    """Return two words' score, and their weights on each other, where Q = K; nothing hidden.

    They are the words whose weights differ most in the first head. The matrix of its keys makes its
    queries, too: then the score of two words is the same both ways.

    Returns:
        None where there are no two words.
    """
    ids = _first_ids(run, sentence)
    head, _query_KE, key_KE = _queries_keys(run.model, ids)
    scores_KK = key_KE @ key_KE.T / key_KE.shape[-1] ** 0.5
    weights_KK = scores_KK.softmax(dim=-1)
    tokens = run.tokenizer.describe(ids)
    texts_K = np.array(token_texts(tokens))
    pairs_KK = pairs_of_words(tokens, tokens, head.kind) & (texts_K[:, None] != texts_K)
    if not pairs_KK.any():
        return None
    differences_KK = (weights_KK - weights_KK.T) * torch.from_numpy(pairs_KK)
    q, k = divmod(int(differences_KK.argmax()), len(ids))
    values = (float(each) for each in (scores_KK[q, k], weights_KK[q, k], weights_KK[k, q]))
    return Figures(tuple(values), {"head": head, "query": texts_K[q], "key": texts_K[k]})


def beyond_training() -> Figures | None:
    """Return the shares of right outputs at the longest length of training, and just beyond it.

    They are results of a Transformer in an experiment; None where it has none.
    """
    experiment = EXPERIMENTS["bottleneck"]
    results = Results.found(experiment.name)
    if results is None:
        return None
    counts = results.by_length(BASE)
    lengths = max(set(counts) - set(experiment.beyond)), min(experiment.beyond)
    values = (right / n for n, right in (counts[length] for length in lengths))
    return Figures(tuple(values), {"learned": lengths[0], "beyond": lengths[1]})


def _first_ids(run: Run, sentence: str) -> tuple[int, ...]:
    """Return what the first stack reads."""
    given = model_input(run, sentence)
    return given.source_ids or given.prompt


def _queries_keys(model: Transformer, ids: Sequence[int]) -> tuple[Head, Tensor, Tensor]:
    """Return the first head of self-attention, its query_KE and key_KE, turned where rotary."""
    site = next(site for site in model.sites() if site.is_self)
    rotated = _steps(model, ids, site, Step.ROTATED_QUERY, Step.ROTATED_KEY)
    query_BHKE, key_BHKE = rotated or _steps(model, ids, site, Step.QUERY, Step.KEY)
    return Head(site, 0), query_BHKE[0, 0].double(), key_BHKE[0, 0].double()


def _steps(model: Transformer, ids: Sequence[int], site: Site, *steps: Step) -> list[Tensor]:
    """Return the tensors of those steps of a site that it has, in one pass of the first stack."""
    record = Record(frozenset(steps), frozenset({site}))
    if model.config.n_encoder_layers:
        model.encode(pad([ids]), record)
    else:
        model.decode(pad([ids]), None, None, record)
    return [record.tensors[site, step] for step in steps if (site, step) in record.tensors]
