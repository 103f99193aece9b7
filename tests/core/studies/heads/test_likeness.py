from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.batch import Pair
from core.heads import Kind, Site
from core.model import Step
from core.studies.heads.likeness import likeness

SITES = (Site("encoder", 0, "self"), Site("encoder", 1, "self"))


class Drawn:
    """Two encoder layers whose weights are given as weights_LHQK, for sources of one length."""

    config = SimpleNamespace(n_heads=2, pad_id=0)
    device = torch.device("cpu")

    def __init__(self, weights):
        self.weights = torch.tensor(weights)

    def sites(self):
        return SITES

    def __call__(self, source_BS, fed_BT, probe):
        n = len(source_BS)
        for site, weights_HQK in zip(SITES, self.weights, strict=True):
            probe.at(site, Step.VISIBLE, torch.ones(n, 1, source_BS.shape[1], dtype=torch.bool))
            probe.at(site, Step.WEIGHTS, weights_HQK.expand(n, -1, -1, -1))


def softmaxed(seed, length, spread):
    scores = np.random.default_rng(seed).normal(scale=spread, size=(2, 2, length, length))
    weights = np.exp(scores)
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


def found_in(weights):
    length = weights.shape[-1]
    return likeness(
        Drawn(weights), [Pair((5,) * (length - 1) + (2,), (1, 5, 2))], Kind.ENCODER_SELF
    )


def entropy(p):
    return -sum(x * np.log2(x) for x in p if x > 0)


@given(seed=st.integers(0, 9999), length=st.integers(2, 6), spread=st.floats(0, 30))
def test_likeness_is_one_less_the_mean_distance_of_rows(seed, length, spread):
    weights = softmaxed(seed, length, spread)
    heads = weights.astype(np.float64).reshape(4, length, length)
    found = found_in(weights)
    assert found.n_rows == length
    for one in range(4):
        for other in range(4):
            distances = [
                max(0, entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2) ** 0.5
                for p, q in zip(heads[one], heads[other], strict=True)
            ]
            # A root makes 1e-6 of a rounding error of 1e-12.
            expected = pytest.approx(1 - np.mean(distances), abs=1e-6)
            assert found.likeness_NN[one, other] == expected


@pytest.mark.parametrize("kind", list(Kind))
def test_padding_does_not_count(copy_run, kind):
    model = copy_run.model
    pairs = [Pair((5, 6, 7, 8, 9, 2), (1, 5, 6, 7, 8, 9, 2)), Pair((6, 2), (1, 6, 6, 2))]
    together = likeness(model, pairs, kind)
    apart = [likeness(model, [pair], kind) for pair in pairs]
    assert together.n_rows == sum(each.n_rows for each in apart)
    mean = sum(each.likeness_NN * each.n_rows for each in apart) / together.n_rows
    assert together.likeness_NN == pytest.approx(mean, abs=1e-5)
