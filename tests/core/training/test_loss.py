import math

import numpy as np
import pytest
import torch

from core.batch import TokenReference
from core.model import Site
from core.training.loss import guided_loss, token_loss

ENCODER, CROSS = Site("encoder", 0, "self"), Site("decoder", 0, "cross")


def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4])
def test_loss_is_the_cross_entropy_with_the_smoothed_distribution(smoothing):
    logits_BTV = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    labels = [[3, 4, 2], [1, 2, 0]]
    # (1 − ε) on the true token, ε / 5 on each of the five; the padded place is left out.
    losses = []
    for sentence, row in enumerate(labels):
        for place, label in enumerate(row):
            if label != 0:
                wanted = np.full(5, smoothing / 5)
                wanted[label] += 1 - smoothing
                logs = log_softmax(logits_BTV[sentence, place].numpy().astype(np.float64))
                losses.append(-(wanted * logs).sum())
    loss = token_loss(logits_BTV, torch.tensor(labels), smoothing)
    assert loss.item() == pytest.approx(np.mean(losses), rel=1e-6)
    assert len(losses) == 5


def test_even_logits_cost_the_logarithm_of_the_vocabulary():
    loss = token_loss(torch.zeros(1, 2, 8), torch.tensor([[3, 2]]), 0.1)
    assert loss.item() == pytest.approx(math.log(8))


def test_padding_changes_neither_loss_nor_gradient():
    logits_BTV = torch.randn(1, 4, 6, generator=torch.Generator().manual_seed(1))
    logits_BTV.requires_grad_()
    padded = token_loss(logits_BTV, torch.tensor([[4, 2, 0, 0]]), 0.1)
    assert padded.item() == pytest.approx(
        token_loss(logits_BTV[:, :2], torch.tensor([[4, 2]]), 0.1).item()
    )
    padded.backward()
    assert not logits_BTV.grad[:, 2:].any()
    assert logits_BTV.grad[:, :2].all()


def test_eos_counts():
    logits_BTV = torch.zeros(1, 2, 4)
    logits_BTV[0, 0, 3] = 50.0
    # The first token is certain and right, EOS is one of four: the mean is log 4 / 2.
    loss = token_loss(logits_BTV, torch.tensor([[3, 2]]))
    assert loss.item() == pytest.approx(math.log(4) / 2)


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
        loss = guided_loss(weights_BHQK, references, site=site, head=1)
        assert loss.item() == pytest.approx(-logarithms.mean(), rel=1e-5)


def test_guidance_reaches_the_guided_rows_of_the_guided_head_alone(weights_BHQK):
    weights_BHQK.requires_grad_()
    guided_loss(weights_BHQK, ((), (reference((1,), (2,), (0,)),)), site=ENCODER, head=0).backward()
    touched = torch.zeros(2, 2, 3, 4, dtype=torch.bool)
    touched[1, 0, 1, 2] = True
    assert torch.equal(weights_BHQK.grad != 0, touched)
    # More weight on the antecedent makes the loss smaller.
    assert weights_BHQK.grad[1, 0, 1, 2] < 0


def test_all_weight_on_the_antecedent_costs_nothing():
    weights = torch.eye(3)[None, None]
    references = ((reference((1,), (1,), (1,)),),)
    assert guided_loss(weights, references, site=ENCODER, head=0).item() == 0


def test_no_weight_on_the_antecedent_costs_much_but_not_without_end():
    weights = torch.eye(3)[None, None]
    references = ((reference((1,), (2,), (1,)),),)
    loss = guided_loss(weights, references, site=ENCODER, head=0)
    assert loss.item() == pytest.approx(-math.log(1e-9), rel=1e-5)


def test_a_batch_without_pronouns_costs_nothing(weights_BHQK):
    assert guided_loss(weights_BHQK, ((), ()), site=CROSS, head=0).item() == 0
