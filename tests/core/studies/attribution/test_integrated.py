import copy

import numpy as np
import pytest
import torch

from core.studies.attribution.gradients import log_probability_of_vectors, token_vectors
from core.studies.attribution.integrated import integrated_gradients
from core.studies.attribution.methods import said_at
from tests.core.studies.attribution.conftest import MODELS, SOURCE, TARGET


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
