import math
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.config import ConfigError, ModelConfig
from core.decoding.choosing import Sampling, sampling_distribution
from core.decoding.generate import generate
from core.decoding.step import length_limit
from core.model import build
from core.vocabulary import BOS, EOS, PAD

LOGITS = torch.tensor([0.5, 0.2, 0.2, 0.1]).log()


def test_temperature_is_the_softmax_of_divided_scores():
    expected = np.array([0.5, 0.2, 0.2, 0.1]) ** 2
    found = sampling_distribution(LOGITS, Sampling(temperature=0.5))
    assert found.tolist() == pytest.approx((expected / expected.sum()).tolist())


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"top_k": 1}, [1, 0, 0, 0]),
        ({"top_k": 2}, [5 / 7, 2 / 7, 0, 0]),
        ({"top_k": 9}, [0.5, 0.2, 0.2, 0.1]),
        ({"top_p": 0.01}, [1, 0, 0, 0]),
        ({"top_p": 0.6}, [5 / 7, 2 / 7, 0, 0]),
        ({"top_p": 0.85}, [5 / 9, 2 / 9, 2 / 9, 0]),
    ],
)
def test_only_the_most_probable_are_left(settings, expected):
    found = sampling_distribution(LOGITS, Sampling(**settings))
    assert found.tolist() == pytest.approx(expected, abs=1e-6)


@given(
    st.lists(st.floats(-20, 20), min_size=1, max_size=12),
    st.floats(0.05, 5),
    st.integers(0, 12),
    st.floats(0.01, 1),
)
def test_probabilities_always_sum_to_one_and_the_best_token_stays(logits, temperature, k, p):
    scores = torch.tensor(logits)
    found = sampling_distribution(scores, Sampling(temperature, k, p))
    assert float(found.sum()) == pytest.approx(1, abs=1e-5)
    assert found[int(scores.argmax())] > 0


@pytest.mark.parametrize(
    "settings",
    [
        {"top_p": 0.0},
        {"top_k": -1},
        {"temperature": math.inf},
        {"temperature": math.nan},
        {"seed": 10**20},
    ],
)
def test_what_cannot_be_is_refused_with_its_value(settings):
    [(name, value)] = settings.items()
    with pytest.raises(ConfigError, match=re.escape(f"{name} is {value}")):
        Sampling(**settings)


def test_targets_of_a_batch_are_drawn_as_often_as_the_model_says():
    model = build(ModelConfig(9, 1, 1, 8, 16, 2, max_positions=6), seed=4).eval()
    source_S = torch.tensor([5, 7, 6, EOS])
    n = 6000
    torch.manual_seed(0)
    found = generate(model, source_S.expand(n, -1), Sampling(seed=None))
    torch.manual_seed(0)
    assert generate(model, source_S.expand(n, -1), Sampling(seed=None)) == found
    for prefix in ((), (found[0][0],)):
        with torch.no_grad():
            logits_V = model(source_S[None], torch.tensor([[BOS, *prefix]]))[0, -1]
        logits_V[[PAD, BOS]] = -torch.inf
        expected_V = logits_V.softmax(dim=-1)
        began = [each for each in found if each[: len(prefix)] == prefix]
        next_ones = [each[len(prefix)] for each in began if len(each) > len(prefix)]
        counts_V = torch.bincount(torch.tensor(next_ones), minlength=9) / len(next_ones)
        # Four standard errors.
        assert (counts_V - expected_V).abs().max() < 4 * 0.5 / len(next_ones) ** 0.5
    limit = length_limit(model, len(source_S))
    assert all(each[-1] == EOS or len(each) == limit for each in found)
    assert all(EOS not in each[:-1] for each in found)
