"""Free running: training in which the decoder is fed its own words from the first step on.

B batch, T target length.
"""

from dataclasses import replace

import torch

from core.batch import Batch
from core.decoding.step import Stepper
from core.model import Transformer


def free_running(model: Transformer, batch: Batch) -> Batch:
    """Return the batch with the model's own words in the place of the decoder's true inputs.

    What it writes greedily, word by word, as when it is used (Williams and Zipser 1989): without
    teacher forcing. BOS, padding and the labels stay: each step is to say the true word of its
    position, whatever was written before. No gradient flows through the choice of a word.

    Args:
        model: Of encoder and decoder; left in the mode that it was in.
        batch: On the model's device.
    """
    was_training = model.training
    model.eval()
    stepper = Stepper(model, batch.source_BS)
    own = [batch.fed_BT[:, 0]]
    for _ in range(1, batch.fed_BT.shape[1]):
        own.append(stepper.feed(own[-1][:, None]).argmax(dim=-1))
    model.train(was_training)
    # A new tensor: those made without a graph cannot be kept for the backward pass.
    own_BT = torch.stack(own, dim=1)
    said_BT = batch.said("target")
    return replace(batch, fed_BT=torch.where(said_BT, own_BT, batch.fed_BT))
