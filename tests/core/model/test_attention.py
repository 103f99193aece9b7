"""Attention by every kind of scores, held to numpy in float64."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.describe.formulas import count_formula
from core.heads import Site
from core.model import Record, Step
from core.model.attention import USUAL, MultiHeadAttention, attend, attend_probed
from core.model.masks import causal_mask, padding_mask
from core.model.scoring import Additive, Scoring

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20)
SITE = Site("decoder", 1, "self")
KINDS = ("dot", "additive", "linear")


def scoring_of(kind, d_k=5):
    additive = None
    if kind == "additive":
        additive = Additive(replace(CONFIG, n_heads=3, d_k=d_k)).double()
    return USUAL if kind == "dot" else Scoring(1.0, additive=additive, linear=kind == "linear")


def drawn(n_queries, n_keys, seed=0):
    generator = torch.Generator().manual_seed(seed)
    new = partial(torch.randn, generator=generator, dtype=torch.float64)
    visible = torch.rand(2, n_queries, n_keys, generator=generator) < 0.6
    return new(2, 3, n_queries, 5), new(2, 3, n_keys, 5), new(2, 3, n_keys, 4), visible


def by_hand(query, key, value, visible, scoring):
    """All kinds in numpy, one query at a time."""
    query, key, value = (each.numpy() for each in (query, key, value))
    weights = np.zeros((*query.shape[:3], key.shape[2]))
    visible = np.broadcast_to(visible.numpy(), (len(query), query.shape[2], key.shape[2]))
    for b, h, q in np.ndindex(*query.shape[:3]):
        for k in np.flatnonzero(visible[b, q]):
            one, other = query[b, h, q], key[b, h, k]
            if scoring.linear:
                one, other = (np.where(x > 0, x + 1, np.exp(x)) for x in (one, other))
                weights[b, h, q, k] = one @ other
            elif scoring is USUAL:
                weights[b, h, q, k] = np.exp(one @ other / np.sqrt(len(one)))
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


@pytest.mark.parametrize(
    ("more", "count"),
    [
        (
            {},
            "d (2 h d_k + 2 h d_v) + 2 h d_k + h d_v + d",
        ),
        (
            {"positions": "rotary", "n_kv_heads": 2, "attention_bias": False},
            "d (h d_k + g d_k + g d_v + h d_v)",
        ),
    ],
)
def test_the_count_is_that_of_its_kind(more, count):
    config = ModelConfig(29, d_model=16, n_heads=4, **more)
    attention = MultiHeadAttention(config, Site("encoder", 0, "self"))
    assert count_formula(attention).startswith(count)
    sizes = {"d": 16, "h": 4, "g": 2, "d_k": 4, "d_v": 4}
    written = count_formula(attention).partition(r"\quad")[0].replace(r"\,", " ")
    counted = eval(re.sub(r"(\w|\)) (?=[\w(])", r"\1 * ", written), {}, sizes)
    assert counted == sum(each.numel() for each in attention.parameters())
