"""Scheduled sampling: training on the model's own words, to learn to go on after a mistake.

B batch, T target length, V vocabulary.
"""

from dataclasses import replace

import torch

from core.batch import Batch
from core.config.training import TrainConfig
from core.decoding.step import mask_special_tokens
from core.model import Transformer
from core.vocabulary import PAD


def sampled_share(step: int, config: TrainConfig) -> float:
    """Return the share of the decoder's inputs that are the model's own words at a step.

    It rises evenly from 0 at the first step to `scheduled_sampling` at the last, the linear
    schedule of Bengio et al. (2015).

    >>> config = TrainConfig(steps=101, scheduled_sampling=0.5)
    >>> sampled_share(1, config), sampled_share(51, config), sampled_share(101, config)
    (0.0, 0.25, 0.5)
    """
    return config.scheduled_sampling * (step - 1) / max(1, config.steps - 1)


@torch.no_grad()
def with_own_words(model: Transformer, batch: Batch, share: float) -> Batch:
    """Return the batch with a share of the decoder's inputs replaced by what the model says there.

    A Transformer computes all positions at once, so what it says comes from a first pass on the
    true words (Mihaylova and Martins 2019). BOS and padding stay; so do the labels.
    """
    if share == 0:
        return batch
    logits_BTV = model(batch.source_BS, batch.fed_BT)
    # What row i says is the input of row i + 1.
    said_BT = mask_special_tokens(logits_BTV, model.config).argmax(dim=-1).roll(1, dims=1)
    replaced_BT = (torch.rand(batch.fed_BT.shape) < share).to(batch.fed_BT.device)
    replaced_BT[:, 0] = False
    replaced_BT &= batch.fed_BT != PAD
    return replace(batch, fed_BT=torch.where(replaced_BT, said_BT, batch.fed_BT))
