"""Scores that are no dot products, held to numpy in float64, and models that have them."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from core.config import ConfigError, ModelConfig
from core.describe import describe
from core.describe.formulas import count_formula, formulas, whole_formula
from core.describe.modules import attention_work
from core.heads import Head, Site
from core.model import Override, Record, Step, Uniform, build
from core.model.attention import MultiHeadAttention, attend, attend_probed
from core.model.building import count_parameters, unfilled
from core.model.masks import causal_mask, padding_mask
from core.model.scoring import Additive, Scoring, features
from core.runs.checkpoint import load_model, save_weights
from tests.core.model.mixing_rules import (
    SOURCE_BS,
    TARGET_BT,
    assert_it_learns,
    assert_later_words_and_padding_change_nothing,
    assert_pieces_get_the_logits_of_the_whole,
    assert_rows_go_on_as_their_sentences,
)

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20)
SITE = Site("decoder", 1, "self")
KINDS = ("additive", "linear")
VARIATIONS = {
    **{kind: {"scores": kind} for kind in KINDS},
    "additive, no matrix": {
        **{"scores": "additive", "projections": False, "output_projection": False},
    },
    "linear, shared": {"scores": "linear", "shared": "kv", "d_k": 6, "d_v": 6},
    "linear, sets": {"scores": "linear", "n_kv_heads": 2},
    "additive after a GRU": {
        **{"scores": "additive", "encoder_mixing": "gru_two_way", "decoder_mixing": "gru"},
    },
}


@pytest.fixture(params=VARIATIONS)
def config(request):
    return replace(CONFIG, **VARIATIONS[request.param])


def scoring_of(kind, d_k=5):
    additive = None
    if kind == "additive":
        additive = Additive(replace(CONFIG, n_heads=3, d_k=d_k)).double()
    return Scoring(1.0, additive=additive, linear=kind == "linear")


def drawn(n_queries, n_keys, seed=0):
    generator = torch.Generator().manual_seed(seed)
    new = partial(torch.randn, generator=generator, dtype=torch.float64)
    visible = torch.rand(2, n_queries, n_keys, generator=generator) < 0.6
    return new(2, 3, n_queries, 5), new(2, 3, n_keys, 5), new(2, 3, n_keys, 4), visible


def by_hand(query, key, value, visible, scoring):
    """Both kinds in numpy, one query at a time."""
    query, key, value = (each.numpy() for each in (query, key, value))
    weights = np.zeros((*query.shape[:3], key.shape[2]))
    visible = np.broadcast_to(visible.numpy(), (len(query), query.shape[2], key.shape[2]))
    for b, h, q in np.ndindex(*query.shape[:3]):
        for k in np.flatnonzero(visible[b, q]):
            one, other = query[b, h, q], key[b, h, k]
            if scoring.linear:
                one, other = (np.where(x > 0, x + 1, np.exp(x)) for x in (one, other))
                weights[b, h, q, k] = one @ other
            else:
                found = (scoring.additive.query_HEA, scoring.additive.key_HEA)
                of_query, of_key = (each[h].detach().numpy() for each in found)
                v = scoring.additive.value_HA[h].detach().numpy()
                weights[b, h, q, k] = np.exp(v @ np.tanh(of_query.T @ one + of_key.T @ other))
        if visible[b, q].any():
            weights[b, h, q] /= weights[b, h, q].sum()
    return weights, weights @ value


MASKED = {
    "each query its own": drawn(4, 6)[3],
    "causal": causal_mask(6)[None],
    "padding": padding_mask(torch.tensor([[4, 5, 6, 7, 0, 0], [4, 5, 6, 7, 8, 2]])),
    "all hidden": torch.zeros(2, 1, 6, dtype=torch.bool),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mask", [*MASKED, "nothing hidden"])
def test_both_paths_are_those_of_numpy(kind, mask):
    scoring = scoring_of(kind)
    n_queries = 4 if mask == "each query its own" else 6
    *vectors, _ = drawn(n_queries, 6, seed=1)
    visible = MASKED.get(mask)
    seen = torch.ones(2, 1, 6, dtype=torch.bool) if visible is None else visible
    weights, mixed = by_hand(*vectors, seen, scoring)
    record = Record(frozenset(Step))
    watched = attend_probed(*vectors, visible, scoring, partial(record.at, SITE))
    for found, expected in (
        (watched, mixed),
        (attend(*vectors, visible, scoring), mixed),
        (record.weights(SITE), weights),
    ):
        np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-10, atol=1e-12)
    scores = record.tensors[SITE, Step.MASKED_SCORES]
    hidden = ~seen[:, None].expand_as(scores)
    assert (scores[hidden] == (0 if kind == "linear" else -torch.inf)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_that_sees_nothing_has_gradients_that_are_numbers(kind):
    query, key, value, _ = drawn(6, 6)
    for visible in (torch.zeros(2, 1, 6, dtype=torch.bool), causal_mask(6)[None] & False):
        inputs = [each.clone().requires_grad_() for each in (query, key, value)]
        attend(*inputs, visible, scoring_of(kind)).sum().backward()
        assert all(each.grad.isfinite().all() for each in inputs)


def test_the_features_are_above_zero_and_their_slope_is_even():
    x = torch.linspace(-8, 8, 33, dtype=torch.float64, requires_grad=True)
    found = features(x)
    assert (found > 0).all()
    found.sum().backward()
    torch.testing.assert_close(x.grad, x.detach().clamp(max=0).exp())


def test_additive_attention_is_three_linear_layers_of_torch():
    """A head is v · tanh(W q + U k): two linear layers without bias, and one more."""
    additive = Additive(replace(CONFIG, n_heads=1, d_k=5)).double()
    query, key = torch.randn(1, 1, 3, 5).double(), torch.randn(1, 1, 7, 5).double()
    of_query, of_key, v = nn.Linear(5, 5, False), nn.Linear(5, 5, False), nn.Linear(5, 1, False)
    with torch.no_grad():
        of_query.double().weight.copy_(additive.query_HEA[0].T)
        of_key.double().weight.copy_(additive.key_HEA[0].T)
        v.double().weight.copy_(additive.value_HA)
        expected = v(torch.tanh(of_query(query)[:, :, :, None] + of_key(key)[:, :, None]))[..., 0]
        torch.testing.assert_close(additive(query, key), expected)


def test_a_model_of_either_kind_keeps_the_rules(config):
    model = build(config, seed=3).eval()
    assert_pieces_get_the_logits_of_the_whole(model)
    assert_later_words_and_padding_change_nothing(model)
    assert_rows_go_on_as_their_sentences(model)
    assert_it_learns(config)


def test_watched_it_computes_the_same_and_its_rows_sum_to_one(config):
    model = build(config, seed=3).eval()
    record = Record()
    with torch.inference_mode():
        watched = model(SOURCE_BS, TARGET_BT, record)
        torch.testing.assert_close(watched, model(SOURCE_BS, TARGET_BT), atol=2e-5, rtol=1e-5)
    for site in model.sites():
        weights = record.weights(site)
        hidden = ~record.tensors[site, Step.VISIBLE][:, None].expand_as(weights)
        assert not weights[hidden].any()
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights.sum(-1)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_can_be_made_uniform_and_a_row_overridden(kind):
    model = build(replace(CONFIG, scores=kind), seed=3).eval()
    head, record = Head(Site("encoder", 1, "self"), 2), Record()
    other = Override(Head(head.site, 1), 0, torch.tensor([0.0, 1.0]))
    for probe in (Uniform.of([head]), other):
        record = Record()

        class Both:
            def sees(self, site):
                return True

            def at(self, site, step, tensor, probe=probe, record=record):
                if probe.sees(site):
                    tensor = probe.at(site, step, tensor)
                return record.at(site, step, tensor)

        with torch.inference_mode():
            model(SOURCE_BS, TARGET_BT, Both())
        weights = record.weights(head.site)
        if probe is other:
            assert weights[:, 1, 0].tolist() == [[0, 1, 0, 0, 0]] * len(weights)
        else:
            visible = padding_mask(SOURCE_BS).expand(-1, SOURCE_BS.shape[1], -1).float()
            expected = visible / visible.sum(-1, keepdim=True)
            torch.testing.assert_close(weights[:, 2], expected)


def test_every_part_is_described_and_counted(config):
    found = describe(config, 5, 6)
    learned = sum(each.numel() for each in build(config).parameters())
    assert found.parameters == count_parameters(config) == learned


@pytest.mark.parametrize("name", VARIATIONS)
def test_the_formula_and_the_count_are_those_of_its_kind(name):
    config = replace(CONFIG, **VARIATIONS[name])
    attention = MultiHeadAttention(config, Site("decoder", 1, "cross"))
    stages = " ".join(formulas(attention, 1).values())
    mark = r"\tanh" if config.scores == "additive" else r"\phi"
    assert mark in whole_formula(attention, "m") and mark in stages
    assert r"\sqrt" not in whole_formula(attention, "m") + stages
    sizes = {"d": 16, "h": 4, "g": 2, "d_k": config.d_k, "d_v": config.d_v}
    written = count_formula(attention).partition(r"\quad")[0].replace(r"\,", " ")
    product = written.replace(" (", " * (").replace("+ *", "+")
    for left in ("2 h", "h", "g", "d", "2"):
        product = product.replace(f"{left} d_", f"{left.replace(' ', ' * ')} * d_")
    product = product.replace("d_k d_k", "d_k * d_k")
    assert eval(product, {}, sizes) == sum(each.numel() for each in attention.parameters())


def test_the_work_of_linear_attention_grows_with_the_length_and_not_with_its_square():
    def work(kind, n):
        attention = MultiHeadAttention(replace(CONFIG, scores=kind), Site("encoder", 0, "self"))
        return attention_work(attention, n, n)

    assert work("linear", 200) == 2 * work("linear", 100)
    assert work("dot", 200) > 2 * work("dot", 100)
    # Four matrices, one sum of 4 · 4 numbers for each of 4 heads, and what it is divided by.
    assert work("linear", 1) == 4 * 16 * 16 + 4 * (2 * 16 + 4)
    assert work("additive", 3) - work("dot", 3) == 4 * 6 * 16


def test_dot_products_have_no_weight_more_and_draw_the_same():
    plain, additive = build(CONFIG, seed=4), build(replace(CONFIG, scores="linear"), seed=4)
    for one, other in zip(plain.parameters(), additive.parameters(), strict=True):
        assert torch.equal(one, other)
    assert not any(isinstance(each, Additive) for each in plain.modules())


def test_a_file_gives_the_same_logits(config, tmp_path):
    model = build(config, seed=3).eval()
    save_weights(model, tmp_path / "weights")
    state = torch.get_rng_state()
    again = load_model(tmp_path / "weights", config)
    unfilled(config)
    assert torch.equal(torch.get_rng_state(), state)
    with torch.inference_mode():
        assert torch.equal(again(SOURCE_BS, TARGET_BT), model(SOURCE_BS, TARGET_BT))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"positions": "rotary"}, "told in the dot products"),
        ({"positions": "buckets"}, "told in the dot products"),
        ({"score_scale": "none"}, "only dot products are divided"),
        (
            {"encoder_mixing": "gru", "decoder_mixing": "gru", "cross": "none"},
            "nothing is attended to",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(kind, settings, said):
    with pytest.raises(ConfigError, match=said):
        replace(CONFIG, scores=kind, **settings)
