"""Statements that course notes repeat and that are wrong: for each, the figures that refute it.

All are computed from the model in one pass or two over a sentence, but for lengths beyond training,
which the results of an experiment show. K positions, D model width, E width of one head.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..batch import one_row, pad
from ..decoding.sentence import longest_text, model_input, translate
from ..heads import Head, Site, Stack
from ..inspection import Inspection
from ..model import Probe, Probes, Record, Step, Transformer, Uniform, Unplace
from ..model.masks import causal_mask
from ..model.sublayers import LayerInputs
from ..runs.run import Run
from ..tokenizer.tokenizer import token_texts
from .experiments import EXPERIMENTS
from .experiments.results import Results
from .heads.largest_weights import pairs_of_words
from .lessons.sublayers import sublayer_inputs

TOLERANCE = 1e-6
"""Singular values below this share of the largest do not count for a rank."""


@dataclass(frozen=True, slots=True)
class ByStack:
    """How far the output of each stack changes: the largest `difference` over its positions."""

    encoder: float | None
    """None of a decoder alone."""
    decoder: float | None
    """None of an encoder alone."""


@torch.inference_mode()
def change_by_target(run: Run, sentence: str) -> ByStack:
    """Return how far both stacks' outputs change when the target is fed in reverse order."""
    given = translate(run, sentence)
    order = _reversed(given.fed_ids)
    fed_ids = [given.fed_ids[at] for at in order]
    one = _outputs(run.model, given.source_ids, given.fed_ids)
    other = _outputs(run.model, given.source_ids, fed_ids)
    return _by_stack(run.model, {stack: difference(one[stack], other[stack]) for stack in one})


@torch.inference_mode()
def change_by_order(run: Run, sentence: str) -> ByStack:
    """Return how far a word's output changes, without positions, when all words are reversed.

    The decoder reads the reversed source, too: where the encoder does not notice, that alone
    changes nothing for it.
    """
    given, changes = translate(run, sentence), {}
    orders = (range(len(given.source_ids))[::-1], _reversed(given.fed_ids))
    source_ids, fed_ids = given.source_ids[::-1], [given.fed_ids[at] for at in orders[1]]
    one = _outputs(run.model, given.source_ids, given.fed_ids, Unplace())
    other = _outputs(run.model, source_ids, fed_ids, Unplace())
    by_length = [order for order in orders if order]
    for (stack, x_KD), order in zip(one.items(), by_length, strict=True):
        changes[stack] = difference(x_KD[list(order)], other[stack])
    return _by_stack(run.model, changes)


def _reversed(fed_ids: Sequence[int]) -> list[int]:
    """Return the places of the fed tokens in reverse order; the first one stays."""
    return [0, *range(len(fed_ids) - 1, 0, -1)] if fed_ids else []


def _outputs(
    model: Transformer,
    source_ids: Sequence[int],
    fed_ids: Sequence[int],
    probe: Probe | None = None,
) -> dict[Stack, Tensor]:
    """Return x_KD of each stack behind its last layer."""
    sites = {stack: model.stream_sites(stack)[-1] for stack in model.config.stacks}
    record = Record(frozenset({Step.STREAM_OUT}), frozenset(sites.values()))
    probes = record if probe is None else Probes((probe, record))
    model(one_row(source_ids), one_row(fed_ids), probes)
    return {
        stack: record.tensors[site, Step.STREAM_OUT][0].double() for stack, site in sites.items()
    }


def _by_stack(model: Transformer, changes: dict[Stack, float]) -> ByStack:
    found = iter(changes.values())
    config = model.config
    encoder = next(found) if config.n_encoder_layers else None
    return ByStack(encoder, next(found) if config.n_decoder_layers else None)


def difference(one_KD: Tensor, other_KD: Tensor) -> float:
    """Return the largest ‖x − y‖ / (‖x‖ + ‖y‖) over positions: 0 where all are equal, at most 1."""
    lengths_K = one_KD.norm(dim=-1) + other_KD.norm(dim=-1)
    return float(((one_KD - other_KD).norm(dim=-1) / lengths_K).max())


@dataclass(frozen=True, slots=True)
class BySublayer:
    """A `difference` in the self-attention and in the feed-forward layer of the first layer."""

    attention: float
    feed_forward: float


@torch.inference_mode()
def nonlinearity(run: Run, sentence: str) -> BySublayer:
    """Return the difference of f(x + y) and f(x) + f(y) for W^O and for the feed-forward layer.

    x and y are what each of them gets at the first position and at the last one; f(0), which the
    biases make, is taken away from f.
    """
    model, ids = run.model, _first_ids(run, sentence)
    (attention, feed_forward), (_around_KD, inner_KD) = _sublayers(model, ids)
    mixed_KD = _steps(model, ids, attention.site, Step.MIXED)[0].transpose(1, 2).flatten(2)[0]

    def differs(function: torch.nn.Module, x_KD: Tensor) -> float:
        x_D, y_D = x_KD[0], x_KD[-1]
        inputs_KD = torch.stack([x_D + y_D, x_D, y_D, torch.zeros_like(x_D)])
        *outputs, of_zero_D = function(inputs_KD[None])[0].double()
        both_D, of_x_D, of_y_D = (each - of_zero_D for each in outputs)
        return difference(both_D, of_x_D + of_y_D)

    return BySublayer(differs(attention.output, mixed_KD), differs(feed_forward, inner_KD.float()))


@torch.inference_mode()
def change_by_another_word(run: Run, sentence: str) -> BySublayer:
    """Return how far the last position's output changes when the first position's input does.

    Every score is 0, as with Q = K = 0. The first input becomes that of the last position. The
    residual stream does not count.
    """
    model, ids = run.model, _first_ids(run, sentence)
    sublayers, inputs = _sublayers(model, ids)
    visible_1KK = None if model.config.n_encoder_layers else causal_mask(len(ids))[None]
    even = Uniform.of(sublayers[0].site.heads(model.config.n_heads))

    def changes(sublayer, x_KD: Tensor) -> float:
        other_KD = x_KD.clone()
        other_KD[0] = x_KD[-1]
        one_D, other_D = (
            sublayer.added(each[None].float(), LayerInputs(visible_1KK), even)[0, -1].double()
            for each in (x_KD, other_KD)
        )
        return difference(one_D, other_D)

    attention, feed_forward = map(changes, sublayers, inputs)
    return BySublayer(attention, feed_forward)


@dataclass(frozen=True, slots=True)
class ChangedPair:
    """Two words that occur in two sentences, and the head whose weight between them differs most."""

    head: Head
    query: str
    key: str
    weight: float
    other_weight: float


def changed_pair(one: Inspection, other: Inspection) -> ChangedPair | None:
    """Return the pair of words, of those in both sentences, whose weight differs most.

    Args:
        one: Between words; of all heads of the self-attention of its first stack.
        other: Of the other sentence, by the same model.

    Returns:
        None where no weight between two words that both sentences have differs.
    """
    kind = next(site.attention for site in one.attention if site.is_self)
    tokens, others = (each.tokens_of(kind.query_side) for each in (one, other))
    typed = one.n_typed if one.n_typed and kind.causal else len(tokens)
    texts, other_texts = token_texts(tokens), token_texts(others)
    words = pairs_of_words(tokens, tokens, kind).any(axis=1)
    places = [
        (at, other_texts.index(text))
        for at, text in enumerate(texts[:typed])
        if words[at] and texts.count(text) == other_texts.count(text) == 1
    ]
    if len(places) < 2:
        return None
    here, there = zip(*places, strict=True)
    weights_LHQK, other_LHQK = (
        np.stack([each.attention[site].weights_HQK for site in each.sites_of(kind)])[
            :, :, np.array(at)[:, None], at
        ]
        for each, at in ((one, here), (other, there))
    )
    difference_LHQK = np.abs(weights_LHQK - other_LHQK) * ~np.eye(len(here), dtype=bool)
    cell = np.unravel_index(difference_LHQK.argmax(), difference_LHQK.shape)
    if not difference_LHQK[cell]:
        return None
    layer, index, query, key = map(int, cell)
    return ChangedPair(
        head=Head(one.sites_of(kind)[layer], index),
        query=texts[here[query]],
        key=texts[here[key]],
        weight=float(weights_LHQK[cell]),
        other_weight=float(other_LHQK[cell]),
    )


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks of one head's K × K matrices, up to `TOLERANCE`."""

    head: Head
    n: int
    """Tokens: the sentence, repeated up to twice d_k."""
    d_k: int
    products: int
    """Of QKᵀ."""
    weights: int
    """Of softmax(QKᵀ / √d_k), nothing hidden."""


@torch.inference_mode()
def ranks(run: Run, sentence: str) -> Ranks | None:
    """Return the ranks of the first head's QKᵀ, before the softmax and after it.

    Returns:
        None where the model has no positions for more than d_k tokens.
    """
    model, d_k = run.model, run.model.config.d_k
    ids = _first_ids(run, sentence)
    n = min(2 * d_k, longest_text(model))
    if n <= d_k:
        return None
    head = _first_head(model)
    query_KE, key_KE = _queries_keys(model, (ids * n)[:n], head)
    products_KK = query_KE @ key_KE.T
    weights_KK = (products_KK / d_k**0.5).softmax(dim=-1)
    of_products, of_weights = (
        int(torch.linalg.matrix_rank(each, rtol=TOLERANCE)) for each in (products_KK, weights_KK)
    )
    return Ranks(head, n, d_k, of_products, of_weights)


@dataclass(frozen=True, slots=True)
class Mirrored:
    """Two tokens that look at each other where the matrix of the keys makes the queries, too."""

    head: Head
    query: str
    key: str
    scores: tuple[float, float]
    """Of the query with the key, and of the key's token with the query's."""
    weights: tuple[float, float]


@torch.inference_mode()
def mirrored(run: Run, sentence: str) -> Mirrored | None:
    """Return the two tokens whose weights on each other differ most where Q = K; nothing hidden.

    Returns:
        None where there are no two words.
    """
    ids, head = _first_ids(run, sentence), _first_head(run.model)
    _query_KE, key_KE = _queries_keys(run.model, ids, head)
    scores_KK = key_KE @ key_KE.T / key_KE.shape[-1] ** 0.5
    weights_KK = scores_KK.softmax(dim=-1)
    tokens = run.tokenizer.describe(ids)
    pairs_KK = torch.from_numpy(pairs_of_words(tokens, tokens, head.kind))
    if not pairs_KK.any():
        return None
    at, to = divmod(int(((weights_KK - weights_KK.T) * pairs_KK).argmax()), len(ids))
    return Mirrored(
        head=head,
        query=tokens[at].text,
        key=tokens[to].text,
        scores=(float(scores_KK[at, to]), float(scores_KK[to, at])),
        weights=(float(weights_KK[at, to]), float(weights_KK[to, at])),
    )


def _first_ids(run: Run, sentence: str) -> tuple[int, ...]:
    """Return what the first stack reads."""
    given = model_input(run, sentence)
    return given.source_ids or given.prompt


def _first_head(model: Transformer) -> Head:
    return next(Head(site, 0) for site in model.sites() if site.is_self)


def _sublayers(model: Transformer, ids: Sequence[int]):
    """Return self-attention and feed-forward of the first layer, and what each gets, in float64."""
    stack = model.config.stacks[0]
    sublayers = [model.block(Site(stack, 0, name))[0] for name in ("self", "feed_forward")]
    return sublayers, sublayer_inputs(model, 0, ids)


def _steps(model: Transformer, ids: Sequence[int], site: Site, *steps: Step) -> list[Tensor]:
    """Return the tensors of those steps of a site that it has, in one pass of the first stack."""
    record = Record(frozenset(steps), frozenset({site}))
    if model.config.n_encoder_layers:
        model.encode(pad([ids]), record)
    else:
        model.decode(pad([ids]), None, None, record)
    return [record.tensors[site, step] for step in steps if (site, step) in record.tensors]


def _queries_keys(model: Transformer, ids: Sequence[int], head: Head) -> tuple[Tensor, Tensor]:
    """Return query_KE and key_KE of a head in float64, turned where positions are rotary."""
    rotated = _steps(model, ids, head.site, Step.ROTATED_QUERY, Step.ROTATED_KEY)
    query_BHKE, key_BHKE = rotated or _steps(model, ids, head.site, Step.QUERY, Step.KEY)
    # Heads may share keys.
    share = head.index * key_BHKE.shape[1] // query_BHKE.shape[1]
    return query_BHKE[0, head.index].double(), key_BHKE[0, share].double()


@dataclass(frozen=True, slots=True)
class BeyondTraining:
    """Sentences that trained models of an experiment get right, by the length of the source."""

    longest_learned: int
    """Tokens of the longest source of training."""
    right_learned: float
    """Share of right sentences at that length, 0 to 1."""
    longest: int
    right_longest: float


def beyond_training() -> BeyondTraining | None:
    """Return how a Transformer does at lengths that training had, and at the longest measured.

    Returns:
        None where the experiment has no results.
    """
    experiment = EXPERIMENTS["bottleneck"]
    results = Results.found(experiment.name)
    if results is None:
        return None
    shares = {n: right / all for n, (all, right) in results.by_length("base").items()}
    learned = max(length for length in shares if length not in experiment.beyond)
    longest = max(shares)
    return BeyondTraining(learned, shares[learned], longest, shares[longest])
