import copy

import numpy as np
import pytest
import torch

from core.studies.attribution.gradients import (
    gradient_times_input,
    integrated_gradients,
    log_probability_of_vectors,
    token_vectors,
)
from core.studies.attribution.methods import said_at
from tests.core.studies.attribution.conftest import MODELS, SOURCE, TARGET, log_probability


def test_vectors_of_the_tokens_themselves_change_nothing(model):
    said = said_at(SOURCE, TARGET, 2)
    vectors = token_vectors(model, said)
    found = log_probability_of_vectors(model, said)(vectors.repeat(3, 1, 1))
    assert found.tolist() == pytest.approx([log_probability(model, SOURCE, said)] * 3, abs=1e-5)


def test_gradient_is_that_of_finite_differences(model):
    said = said_at(SOURCE, TARGET, 2)
    exact = copy.deepcopy(model).double()
    of_vectors, vectors = log_probability_of_vectors(exact, said), token_vectors(exact, said)
    for token, score in enumerate(gradient_times_input(model, said)):
        step = torch.zeros_like(vectors)
        step[0, token] = 1e-5 * vectors[0, token]
        with torch.no_grad():
            slope = float(of_vectors(vectors + step) - of_vectors(vectors - step)) / 2e-5
        assert score == pytest.approx(slope, abs=1e-4, rel=1e-3)


@pytest.mark.parametrize("step", [0, 3])
def test_integrated_gradients_sum_to_the_difference_within_a_hundredth(model, step):
    said = said_at(SOURCE, TARGET, step)
    found = integrated_gradients(model, said)
    of_vectors, vectors = log_probability_of_vectors(model, said), token_vectors(model, said)
    with torch.no_grad():
        difference = float(of_vectors(vectors) - of_vectors(torch.zeros_like(vectors)))
    assert found.difference == pytest.approx(difference, abs=1e-5)
    missed = abs(found.scores_S.sum() - difference)
    assert missed <= 0.01 * max(abs(difference), 0.1)
    assert found.gap == pytest.approx(missed / max(abs(difference), 0.1), abs=1e-4)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[3]], ids=["0", "3"])
def test_integrated_gradients_are_those_of_many_even_steps(model):
    said = said_at(SOURCE, TARGET, 2)
    exact = copy.deepcopy(model).double()
    of_vectors, vectors = log_probability_of_vectors(exact, said), token_vectors(exact, said)
    ways = ((torch.arange(2000).double() + 0.5) / 2000)[:, None, None] * vectors
    ways.requires_grad_()
    [gradients] = torch.autograd.grad(of_vectors(ways).sum(), ways)
    expected = (gradients.mean(dim=0) * vectors[0]).sum(dim=-1).numpy()
    found = integrated_gradients(model, said)
    assert found.scores_S == pytest.approx(expected, abs=0.02 * np.abs(expected).max())
