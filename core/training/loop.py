"""The training loop: a generator, so that whoever runs it decides what to do with each step."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from core.batch import Batch
from core.config import TrainConfig
from core.model import Record, Site, Step, Transformer
from core.training.loss import guided_loss, token_loss
from core.training.schedule import learning_rate


class TrainingError(RuntimeError):
    """Training cannot go on; the message says at which step and why."""


@dataclass(frozen=True, slots=True)
class TrainStep:
    """What one step of training was like."""

    step: int
    """Counts finished steps, so the first one is 1."""
    loss: float
    """Cross-entropy per target token with label smoothing, in nats."""
    guide_loss: float | None
    """−log of the guided head's weight on the antecedent; None without guidance."""
    learning_rate: float
    n_tokens: int
    """Target tokens learned from."""
    seconds: float


def parse_head(text: str) -> tuple[Site, int]:
    """Read SITE:HEAD.

    >>> parse_head("encoder.1.self:0")
    (Site(stack='encoder', layer=1, kind='self'), 0)

    Raises:
        ValueError: The text is no head; the message shows one.
    """
    site, _, head = text.rpartition(":")
    if not head.isdecimal():
        raise ValueError(f"{text!r} is not a head such as encoder.1.self:0")
    return Site.parse(site), int(head)


def make_optimizer(model: Transformer, config: TrainConfig) -> torch.optim.Adam:
    """Return the paper's Adam; its learning rate is set anew at every step."""
    return torch.optim.Adam(
        model.parameters(), lr=0.0, betas=config.adam_betas, eps=config.adam_eps, fused=True
    )


def train(
    model: Transformer,
    optimizer: torch.optim.Optimizer,
    batches: Iterable[Batch],
    config: TrainConfig,
    first_step: int = 0,
) -> Iterator[TrainStep]:
    """Take one step a batch until `config.steps` are done; changes the model and the optimizer.

    Dropout draws from torch's global random state, which is the caller's to seed.

    Args:
        model: On any device; put into training mode at each step.
        optimizer: From `make_optimizer`.
        batches: Beginning with the one for `first_step`.
        config: Schedule, losses and number of steps.
        first_step: How many steps are done already.

    Raises:
        TrainingError: The loss is not a number.
    """
    guide = parse_head(config.guide) if config.guide else None
    for step, batch in enumerate(batches, start=first_step + 1):
        if step > config.steps:
            return
        started = time.perf_counter()
        # Whoever consumes the steps may evaluate in between.
        model.train()
        rate = learning_rate(step, model.config.d_model, config)
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss, guide_loss = losses(model, batch, config, guide)
        total = loss if guide_loss is None else loss + config.guide_weight * guide_loss
        if not total.isfinite():
            raise TrainingError(f"the loss is {total.item()} at step {step}")
        optimizer.zero_grad()
        total.backward()
        if config.clip_norm > 0:
            clip_grad_norm_(model.parameters(), config.clip_norm)
        optimizer.step()
        yield TrainStep(
            step=step,
            loss=loss.item(),
            guide_loss=None if guide_loss is None else guide_loss.item(),
            learning_rate=rate,
            n_tokens=batch.n_tokens,
            seconds=time.perf_counter() - started,
        )


def losses(
    model: Transformer, batch: Batch, config: TrainConfig, guide: tuple[Site, int] | None
) -> tuple[Tensor, Tensor | None]:
    """Return the cross-entropy, and the guided head's loss where there is one."""
    if guide is None:
        logits_BTV = model(batch.source_BS, batch.fed_BT)
        return token_loss(logits_BTV, batch.labels_BT, config.label_smoothing), None
    site, head = guide
    record = Record(frozenset({Step.WEIGHTS}), frozenset({site}), keep_graph=True)
    logits_BTV = model(batch.source_BS, batch.fed_BT, record)
    return (
        token_loss(logits_BTV, batch.labels_BT, config.label_smoothing),
        guided_loss(record.weights(site), batch.references, site=site, head=head),
    )
