"""The figures against float64 computations from the matrices of a model of the gallery."""

import json
from copy import deepcopy

import numpy as np
import pytest
import torch

from core.decoding.sentence import translate
from core.inspection import inspect_sentence, merged
from core.installed import GALLERY
from core.runs.run import load_run
from core.studies import misconceptions as studies

TIRED = "The animal didn't cross the street because it was too tired."
RUN = load_run(GALLERY / "translate-guided")
MODEL, D_K = deepcopy(RUN.model).double(), RUN.model.config.d_k
GIVEN = translate(RUN, TIRED)
REVERSED = (GIVEN.fed_ids[0], *GIVEN.fed_ids[:0:-1])
ATTENTION, FEED_FORWARD = MODEL.encoder[0].self_attention, MODEL.encoder[0].feed_forward


@torch.no_grad()
def passed(module, source_ids=GIVEN.source_ids, fed_ids=GIVEN.fed_ids, model=MODEL):
    """Return what a module gets in one pass, and what it makes of it."""
    seen = []
    hook = module.register_forward_hook(lambda _module, args, output: seen.append((*args, output)))
    model(torch.tensor([source_ids]), torch.tensor([fed_ids]))
    hook.remove()
    return seen[-1][0][0].numpy(), seen[-1][-1][0].numpy()


def affine(linear, x):
    return x @ linear.weight.detach().numpy().T + linear.bias.detach().numpy()


def apart(one, other):
    lengths = np.linalg.norm(one, axis=-1) + np.linalg.norm(other, axis=-1)
    return pytest.approx((np.linalg.norm(one - other, axis=-1) / lengths).max(), rel=1e-3)


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def test_another_target_changes_the_decoder_and_not_the_encoder():
    one, other = (passed(MODEL.decoder[-1], fed_ids=ids)[1] for ids in (GIVEN.fed_ids, REVERSED))
    assert studies.change_by_target(RUN, TIRED).values == (0, apart(one, other))


def test_a_linear_layer_keeps_sums_and_the_feed_forward_layer_does_not():
    def without_bias(x):
        hidden = (affine(FEED_FORWARD.expand, each) for each in (x, np.zeros_like(x)))
        return np.subtract(*(affine(FEED_FORWARD.contract, each.clip(0)) for each in hidden))

    x, y = passed(FEED_FORWARD.expand)[0][[0, -1]]
    linear, feed_forward = studies.nonlinearity(RUN, TIRED).values
    assert linear < 1e-6
    assert feed_forward == apart(without_bias(x + y), without_bias(x) + without_bias(y))


def test_without_scores_attention_is_the_mean_of_the_values():
    x_KD = passed(ATTENTION.value)[0]
    one, other = (
        affine(ATTENTION.output, affine(ATTENTION.value, each).mean(axis=0))
        for each in (x_KD, [x_KD[-1], *x_KD[1:]])
    )
    assert studies.change_by_another_word(RUN, TIRED).values == (apart(one, other), 0)


def test_the_softmax_raises_the_rank_above_the_width_of_a_head():
    ids = [*dict.fromkeys((*GIVEN.source_ids, *range(RUN.model.config.vocab_size)))][: 2 * D_K]
    query, key = (passed(each, ids)[1][:, :D_K] for each in (ATTENTION.query, ATTENTION.key))
    matrices = query @ key.T, softmax(query @ key.T / D_K**0.5)
    found = studies.ranks(RUN, TIRED)
    assert found.values == tuple(np.linalg.matrix_rank(each, rtol=1e-6) for each in matrices)
    assert found.values[0] <= D_K < found.values[1]


def test_with_equal_queries_and_keys_scores_are_symmetric_and_weights_are_not():
    key = passed(ATTENTION.key)[1][:, :D_K]
    scores = key @ key.T / D_K**0.5
    texts = [each.text for each in RUN.tokenizer.describe(GIVEN.source_ids)]
    found = studies.mirrored(RUN, TIRED)
    q, k = (texts.index(found.names[name]) for name in ("query", "key"))
    weights = softmax(scores)
    assert found.values == pytest.approx((scores[k, q], weights[q, k], weights[k, q]), rel=1e-4)
    assert weights[q, k] - weights[k, q] > 0.05


def test_without_positions_a_causal_mask_tells_the_order_and_an_encoder_does_not_know_it():
    blind = deepcopy(MODEL)
    for embedding in (blind.source_embedding, blind.target_embedding):
        embedding.table.zero_()
    one, other = (
        passed(blind.decoder[-1], fed_ids=ids, model=blind)[1] for ids in (GIVEN.fed_ids, REVERSED)
    )
    encoder, decoder = studies.change_by_order(RUN, TIRED).values
    assert encoder < 1e-5
    assert decoder == apart(one, np.array([other[0], *other[:0:-1]]))


def test_the_weight_from_it_to_its_noun_differs_from_sentence_to_sentence():
    both = [merged(inspect_sentence(RUN, each)) for each in (TIRED, TIRED.replace("tired", "wide"))]
    found = studies.changed_pair(*both)
    texts = [each.text for each in both[0].source_tokens]
    cell = texts.index("it"), texts.index(found.names["key"])
    assert found.values == tuple(each.weights_of(found.names["head"])[cell] for each in both)
    assert studies.changed_pair(both[0], both[0]) is None


def test_what_lies_beyond_training_is_counted_over_all_seeds():
    stored = json.loads((GALLERY / "experiments" / "bottleneck.json").read_text())["trained"]
    rows = [row for each in stored if each["variant"] == "base" for row in each["by_length"]]
    shares = (
        sum(right for length, _n, right in rows if length == at)
        / sum(n for length, n, _right in rows if length == at)
        for at in (16, 18)
    )
    assert studies.beyond_training().values == tuple(shares)
