"""What each mask is worth: the loss of a trained model when it is left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from core.batch import Batch, Pair, collate
from core.config import ModelConfig
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.loss import token_loss
from core.model import Remask, Transformer
from core.objective import held_out_as_learned
from core.runs.run import Run
from core.studies.lessons.masking import MASKS, PADDING, Mask, fill_id, read_texts, visible

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
    pairs = held_out_pairs(run, n, seed)
    if run.model.config.alone:
        pairs = held_out_as_learned(pairs, run.model.config, run.tokenizer)
    return _cases(run.model, pairs)


def losses_in_texts(run: Run, sentences: Sequence[str]) -> tuple[MaskLoss, ...]:
    """Measure the same of a decoder alone in a batch of texts, each token of which comes next.

    Returns nothing where no text has two tokens.

    Raises:
        SentenceError: One of them has no text.
    """
    rows, _cut = read_texts(run, sentences)
    # Of a single token none comes next.
    pairs = [Pair(source=(), target=row) for row in rows if len(row) > 1]
    return _cases(run.model, pairs) if pairs else ()


def masks_of(config: ModelConfig) -> tuple[Mask, ...]:
    """Return the masks that a model has; one without PAD hides no padding."""
    stacks = config.stacks
    return tuple(
        mask
        for mask in MASKS
        if mask.attention.stack in stacks
        and (len(stacks) == 2 or mask.attention.is_self)
        and (config.pad_id >= 0 or mask.name != PADDING)
    )


def _cases(model: Transformer, pairs: Sequence[Pair]) -> tuple[MaskLoss, ...]:
    masks = masks_of(model.config)
    batches = list(_batches(pairs, model.config.pad_id))
    # Where there is but one mask, to leave out all is to leave out that.
    cases = list(dict.fromkeys([(), *((mask,) for mask in masks), masks]))
    return tuple(_measured(model, batches, case) for case in cases)


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
        # Where there is no PAD, another token fills up: what stands before it does not look ahead.
        fills = fill_id(model.config)
        given = [each if each is None else each.where(each >= 0, fills) for each in batch.inputs]
        logits_BTV = model(*given, probe)
        right_BT = (logits_BTV.argmax(dim=-1) == batch.labels_BT) & batch.predicted_BT
        loss += token_loss(logits_BTV, batch.labels_BT, pad_id=batch.pad_id).item() * batch.n_tokens
        n_right += int(right_BT.sum())
        n_tokens += batch.n_tokens
    return MaskLoss(without, loss / n_tokens, n_right / n_tokens)
