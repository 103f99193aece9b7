import copy

import numpy as np
import pytest
import torch

from core.studies.attribution.gradients import (
    integrated_gradients,
    log_probability_of_vectors,
    token_vectors,
)
from core.studies.attribution.methods import prediction_at
from tests.core.studies.attribution.conftest import MODELS, SOURCE, TARGET


@pytest.mark.parametrize("model", [MODELS[0], MODELS[3]], ids=["0", "3"])
def test_integrated_gradients_are_those_of_many_even_steps(model):
    target = prediction_at(SOURCE, TARGET, 2)
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
