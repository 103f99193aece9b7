"""What each mask is worth: the loss of a trained model when it is left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from core.analysis.lessons.masking import MASKS, Mask, visible
from core.batch import Batch, Pair, collate
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.loss import token_loss
from core.model import Remask, Transformer
from core.runs.run import Run

BATCH = 50
"""Sentences of all lengths go into one batch, so that there is padding to look at."""


@dataclass(frozen=True, slots=True)
class MaskLoss:
    """How good a model is under teacher forcing when masks are left out in all its layers."""

    without: tuple[Mask, ...]
    loss: float
    """Cross-entropy per target token, in nats."""
    token_accuracy: float
    """Share of target tokens that are the most probable."""


def losses_without(run: Run, n: int, seed: int = 0) -> tuple[MaskLoss, ...]:
    """Measure with all masks, without each of them, and without any, on held-out sentences.

    Raises:
        RunError: The run's task is a file of pairs that cannot be used any more.
    """
    batches = list(_batches(held_out_pairs(run, n, seed), run.model.config.pad_id))
    cases: list[tuple[Mask, ...]] = [(), *((mask,) for mask in MASKS), MASKS]
    return tuple(_measured(run.model, batches, case) for case in cases)


def _batches(pairs: Sequence[Pair], pad_id: int) -> Iterator[Batch]:
    for start in range(0, len(pairs), BATCH):
        yield collate(pairs[start : start + BATCH], pad_id)


@torch.inference_mode()
def _measured(model: Transformer, batches: Sequence[Batch], without: tuple[Mask, ...]) -> MaskLoss:
    loss, n_right, n_tokens = 0.0, 0, 0
    for batch in batches:
        probe = None
        if without:
            probe = Remask(visible(batch.source_BS, batch.fed_BT, without, batch.pad_id))
        logits_BTV = model(batch.source_BS, batch.fed_BT, probe)
        right_BT = (logits_BTV.argmax(dim=-1) == batch.labels_BT) & batch.predicted_BT
        loss += token_loss(logits_BTV, batch.labels_BT, pad_id=batch.pad_id).item() * batch.n_tokens
        n_right += int(right_BT.sum())
        n_tokens += batch.n_tokens
    return MaskLoss(without, loss / n_tokens, n_right / n_tokens)
