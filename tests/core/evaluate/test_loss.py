import numpy as np
import pytest
import torch

from core.evaluate.loss import token_loss


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
