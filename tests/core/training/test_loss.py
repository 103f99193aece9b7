import math

import numpy as np
import pytest
import torch

from core.batch import TokenReference
from core.heads import Head, Site
from core.training.loss import guided_loss

ENCODER, CROSS = Site("encoder", 0, "self"), Site("decoder", 0, "cross")


def reference(pronoun, antecedent, steps):
    return TokenReference(pronoun, antecedent, (antecedent,), steps, True)


@pytest.fixture(name="weights_BHQK")
def weights():
    """Two sentences, two heads, 3 × 4; every row sums to 1."""
    return torch.randn(2, 2, 3, 4, generator=torch.Generator().manual_seed(2)).softmax(dim=-1)


def test_guided_loss_is_the_mean_of_the_logarithms_written_out(weights_BHQK):
    references = (
        (reference((2,), (0, 1), (1,)), reference((1,), (3,), (0, 2))),
        (reference((0,), (2,), (2,)),),
    )
    w = weights_BHQK[:, 1].double().numpy()
    encoder = np.log([w[0, 2, 0] + w[0, 2, 1], w[0, 1, 3], w[1, 0, 2]])
    cross = np.log([w[0, 1, 0] + w[0, 1, 1], w[0, 0, 3], w[0, 2, 3], w[1, 2, 2]])
    for site, logarithms in ((ENCODER, encoder), (CROSS, cross)):
        loss = guided_loss(weights_BHQK, references, Head(site, 1))
        assert loss.item() == pytest.approx(-logarithms.mean(), rel=1e-5)


def test_guidance_reaches_the_guided_rows_of_the_guided_head_alone(weights_BHQK):
    weights_BHQK.requires_grad_()
    guided_loss(weights_BHQK, ((), (reference((1,), (2,), (0,)),)), Head(ENCODER, 0)).backward()
    touched = torch.zeros(2, 2, 3, 4, dtype=torch.bool)
    touched[1, 0, 1, 2] = True
    assert torch.equal(weights_BHQK.grad != 0, touched)
    # More weight on the antecedent makes the loss smaller.
    assert weights_BHQK.grad[1, 0, 1, 2] < 0


def test_all_weight_on_the_antecedent_costs_nothing():
    weights = torch.eye(3)[None, None]
    references = ((reference((1,), (1,), (1,)),),)
    assert guided_loss(weights, references, Head(ENCODER, 0)).item() == 0


def test_no_weight_on_the_antecedent_costs_much_but_not_without_end():
    weights = torch.eye(3)[None, None]
    references = ((reference((1,), (2,), (1,)),),)
    loss = guided_loss(weights, references, Head(ENCODER, 0))
    assert loss.item() == pytest.approx(-math.log(1e-9), rel=1e-5)


def test_a_batch_without_pronouns_costs_nothing(weights_BHQK):
    assert guided_loss(weights_BHQK, ((), ()), Head(CROSS, 0)).item() == 0
