import copy

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import spearmanr

from core.studies.attribution.gradients import (
    Prediction,
    integrated_gradients,
    log_probability_of_vectors,
    token_vectors,
)
from core.studies.attribution.leaving_out import telling_step
from core.studies.attribution.methods import Method, attribute, rollout, source_rollout
from core.vocabulary import BOS
from tests.core.studies.attribution.conftest import MODELS, SOURCE, TARGET, log_probability


def prediction_at(step):
    """The word of a step of the target, after the words before it."""
    return Prediction(SOURCE, (BOS, *TARGET[:step]), TARGET[step])


@pytest.mark.parametrize("model", MODELS[:1], ids=["0"])
def test_agreement_is_the_rank_correlation_of_magnitudes_with_leaving_one_out(model):
    found = attribute(model, prediction_at(1))
    wanted = np.abs(found.scores[Method.LEAVE_ONE_OUT])
    assert set(found.agreement) == set(Method) - {Method.LEAVE_ONE_OUT}
    for method, correlation in found.agreement.items():
        expected = spearmanr(np.abs(found.scores[method]), wanted).statistic
        assert correlation == pytest.approx(expected)


@pytest.mark.parametrize("model", MODELS[1:3], ids=["1", "2"])
def test_between_words_scores_are_added_but_a_word_is_left_out_as_a_whole(model):
    target, words = prediction_at(3), (0, 1, 1, 1, 2, 3)
    tokens, found = attribute(model, target), attribute(model, target, words)
    assert list(found.scores) == list(Method)
    for method in set(Method) - {Method.LEAVE_ONE_OUT}:
        one, *rest = tokens.scores[method].tolist()
        expected = [one, sum(rest[:3]), *rest[3:]]
        assert found.scores[method] == pytest.approx(expected, abs=1e-9)
    without = [0 if 1 <= at <= 3 else each for at, each in enumerate(SOURCE)]
    drop = log_probability(model, SOURCE, target) - log_probability(model, without, target)
    assert found.scores[Method.LEAVE_ONE_OUT][1] == pytest.approx(drop, abs=1e-5)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[3]], ids=["0", "3"])
def test_integrated_gradients_are_those_of_many_even_steps(model):
    target = prediction_at(2)
    exact = copy.deepcopy(model).double()
    of_vectors, vectors = (
        log_probability_of_vectors(exact, target),
        token_vectors(exact, target),
    )
    ways = ((torch.arange(2000).double() + 0.5) / 2000)[:, None, None] * vectors
    ways.requires_grad_()
    [gradients] = torch.autograd.grad(of_vectors(ways).sum(), ways)
    expected = (gradients.mean(dim=0) * vectors[0]).sum(dim=-1).numpy()
    found = integrated_gradients(model, target)
    with torch.no_grad():
        difference = float(of_vectors(vectors) - of_vectors(torch.zeros_like(vectors)))
    assert found.difference == pytest.approx(difference, abs=1e-5)
    assert found.scores_S == pytest.approx(expected, abs=0.02 * np.abs(expected).max())


def lost(model, target, hidden):
    """What is lost without these positions, the sentence asked about by itself."""
    without = [0 if at in hidden else each for at, each in enumerate(target.source_ids)]
    return log_probability(model, target.source_ids, target) - log_probability(
        model, without, target
    )


@pytest.mark.parametrize("among", [(0,), (2, 4)])
def test_the_telling_step_of_some_tokens_loses_most_by_one_of_these(model, among):
    each = [[lost(model, prediction_at(t), [s]) for s in among] for t in range(3)]
    assert telling_step(model, SOURCE, TARGET[:3], among) == int(np.max(each, axis=1).argmax())


def softmaxed(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


SCORES = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 6)).flatmap(
    lambda s: arrays(np.float64, (s[0], s[1], s[2], s[2]), elements=st.floats(-4, 4))
)


@given(SCORES)
def test_rollout_is_the_product_of_half_the_weights_and_half_the_identity(scores):
    weights = softmaxed(scores)
    expected = np.eye(weights.shape[-1])
    for layer in weights:
        mean = sum(head.astype(np.float64) for head in layer) / len(layer)
        half = 0.5 * mean + 0.5 * np.eye(len(mean))
        expected = (half / half.sum(axis=1, keepdims=True)) @ expected
    assert rollout(weights)[-1] == pytest.approx(expected, abs=1e-12)


@given(SCORES)
def test_a_source_rolls_to_the_row_that_looks_at_the_last_layer(scores):
    weights = softmaxed(scores)
    row_HS = weights[0, :, 0]
    expected = row_HS.astype(np.float64).mean(axis=0) @ rollout(weights)[-1]
    assert source_rollout(weights, row_HS) == pytest.approx(expected, abs=1e-12)
    assert source_rollout(weights[:0], row_HS) == pytest.approx(row_HS.mean(axis=0), abs=1e-6)
