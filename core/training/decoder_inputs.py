"""Decoder inputs in training that the model writes itself, in place of the true words.

B batch, T target length, V vocabulary.
"""

from dataclasses import replace

import torch

from ..batch import Batch
from ..config.training import TrainConfig
from ..decoding.step import Stepper, mask_special_tokens
from ..model import Transformer
from ..vocabulary import PAD


def sampled_share(step: int, config: TrainConfig) -> float:
    """Return the share of the decoder's inputs that are the model's own words at a step.

    It rises linearly from 0 at the first step to `scheduled_sampling` at the last, the linear
    schedule of Bengio et al. (2015).

    >>> config = TrainConfig(steps=101, scheduled_sampling=0.5)
    >>> sampled_share(1, config), sampled_share(51, config), sampled_share(101, config)
    (0.0, 0.25, 0.5)
    """
    return config.scheduled_sampling * (step - 1) / max(1, config.steps - 1)


@torch.no_grad()
def scheduled_sampling(model: Transformer, batch: Batch, share: float) -> Batch:
    """Return the batch with a share of the decoder's inputs replaced by the model's predictions.

    A Transformer computes all positions at once, so the predictions come from a first pass on the
    true words (Mihaylova and Martins 2019). BOS, padding and the labels stay.
    """
    if share == 0:
        return batch
    logits_BTV = model(batch.source_BS, batch.fed_BT)
    # Row i predicts the input of row i + 1.
    predicted_BT = mask_special_tokens(logits_BTV, model.config).argmax(dim=-1).roll(1, dims=1)
    replaced_BT = (torch.rand(batch.fed_BT.shape) < share).to(batch.fed_BT.device)
    replaced_BT[:, 0] = False
    replaced_BT &= batch.fed_BT != PAD
    return replace(batch, fed_BT=torch.where(replaced_BT, predicted_BT, batch.fed_BT))


def free_running(model: Transformer, batch: Batch) -> Batch:
    """Return the batch with the model's greedy output as the decoder's inputs.

    This is training without teacher forcing (Williams and Zipser 1989). BOS, padding and the labels
    stay: each position still predicts its true word. No gradient flows through the choice of a
    word.
    """
    was_training = model.training
    model.eval()
    stepper = Stepper(model, batch.source_BS)
    written = [batch.fed_BT[:, 0]]
    for _ in range(1, batch.fed_BT.shape[1]):
        written.append(stepper.feed(written[-1][:, None]).argmax(dim=-1))
    model.train(was_training)
    # A new tensor: inference tensors cannot be saved for the backward pass.
    written_BT = torch.stack(written, dim=1)
    return replace(batch, fed_BT=torch.where(batch.said("target"), written_BT, batch.fed_BT))
