import copy

import pytest
import torch

from core.studies.attribution.gradients import (
    gradient_times_input,
    log_probability_of_vectors,
    token_vectors,
)
from core.studies.attribution.methods import said_at
from tests.core.studies.attribution.conftest import SOURCE, TARGET, log_probability


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
