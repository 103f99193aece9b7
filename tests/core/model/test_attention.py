import math
import re
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.config import ModelConfig
from core.describe.formulas import count_formula, whole_formula
from core.heads import Site
from core.model import Record, Step
from core.model.attention import (
    USUAL,
    MultiHeadAttention,
    attend,
    attend_probed,
    attention_weights,
)

SITE = Site("encoder", 0, "self")
ALL = frozenset(Step)


def drawn(seed, n_queries, n_keys, n_heads=3, d_k=5, d_v=4):
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(2, n_heads, n_queries, d_k, generator=generator)
    key = torch.randn(2, n_heads, n_keys, d_k, generator=generator)
    value = torch.randn(2, n_heads, n_keys, d_v, generator=generator)
    visible = torch.rand(2, n_queries, n_keys, generator=generator) < 0.6
    return query, key, value, visible


def by_hand(query, key, value, visible):
    """Softmax attention in float64 numpy, row by row."""
    query, key, value = (tensor.double().numpy() for tensor in (query, key, value))
    mixed = np.zeros((*query.shape[:3], value.shape[-1]))
    weights = np.zeros((*query.shape[:3], key.shape[2]))
    for b, h, q in np.ndindex(*query.shape[:3]):
        seen = np.flatnonzero(visible[b, q].numpy())
        if len(seen):
            scores = key[b, h, seen] @ query[b, h, q] / np.sqrt(query.shape[-1])
            exponentials = np.exp(scores - scores.max())
            weights[b, h, q, seen] = exponentials / exponentials.sum()
            mixed[b, h, q] = weights[b, h, q] @ value[b, h]
    return mixed, weights


@given(st.integers(0, 1000), st.integers(1, 6), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_both_paths_agree_with_numpy(seed, n_queries, n_keys):
    tensors = drawn(seed, n_queries, n_keys)
    mixed, weights = by_hand(*tensors)
    record = Record(ALL)
    assert attend(*tensors).numpy() == pytest.approx(mixed, abs=1e-5)
    assert attend_probed(*tensors, USUAL, partial(record.at, SITE)).numpy() == pytest.approx(
        mixed, abs=1e-5
    )
    assert record.weights(SITE).numpy() == pytest.approx(weights, abs=1e-5)


def test_gradient_through_a_blind_row_is_a_number():
    scores = torch.full((1, 1, 1, 3), -math.inf, requires_grad=True)
    attention_weights(scores).sum().backward()
    assert scores.grad.isfinite().all()


@pytest.mark.parametrize(
    ("more", "formula", "count"),
    [
        (
            {},
            r"\tfrac{Q_i K_i^\top}{\sqrt{d_k}} + M",
            "d (2 h d_k + 2 h d_v) + 2 h d_k + h d_v + d",
        ),
        (
            {"score_scale": "none", "positions": "buckets", "attention_bias": False},
            r"Q_i K_i^\top + B_i + M",
            "d (2 h d_k + 2 h d_v)",
        ),
        (
            {"positions": "rotary", "n_kv_heads": 2, "attention_bias": False},
            r"\tfrac{R Q_i (R K_i)^\top}{\sqrt{d_k}} + M",
            "d (h d_k + g d_k + g d_v + h d_v)",
        ),
        ({"score_scale": "width_and_layer"}, r"{\sqrt{d_k}\,(l + 1)} + M", "d (2"),
    ],
)
def test_the_formula_and_the_count_are_those_of_its_kind(more, formula, count):
    config = ModelConfig(29, d_model=16, n_heads=4, **more)
    attention = MultiHeadAttention(config, Site("encoder", 0, "self"))
    assert formula in whole_formula(attention, "x")
    assert count_formula(attention).startswith(count)
    sizes = {"d": 16, "h": 4, "g": 2, "d_k": 4, "d_v": 4}
    written = count_formula(attention).partition(r"\quad")[0].replace(r"\,", " ")
    counted = eval(re.sub(r"(\w|\)) (?=[\w(])", r"\1 * ", written), {}, sizes)
    assert counted == sum(each.numel() for each in attention.parameters())
