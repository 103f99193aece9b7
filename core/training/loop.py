"""The training loop: a generator, so that its caller decides what to do with each step."""

import hashlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from ..batch import Batch
from ..config import ModelConfig
from ..config.training import TrainConfig
from ..device import autocast, rounded_products
from ..messages import MessageError
from ..model import Transformer
from .decoder_inputs import free_running, sampled_share, scheduled_sampling
from .losses import Auxiliary, losses
from .rewards import Candidates, Reward, draw, metric_loss
from .workers import ALONE, Workers


class TrainingError(MessageError, RuntimeError):
    """Training cannot go on; the message says at which step and why."""


@dataclass(frozen=True, slots=True)
class TrainStep:
    """Results of one training step."""

    step: int
    """Counts finished steps, so the first one is 1."""
    loss: float
    """Cross-entropy per target token with label smoothing, in nats; minus the mean reward if
    rewards are maximised."""
    guide_loss: float | None
    """−log of the guided head's weight where it is asked to look; None without guidance, or if
    the batch has no guided rows."""
    learning_rate: float
    n_tokens: int
    """Target tokens learned from."""
    seconds: float
    reward: float | None = None
    """Mean over the sampled targets; None if none were sampled."""


def learning_rate(step: int, d_model: int, config: TrainConfig) -> float:
    """Return the learning rate of a step, the first being 1.

    factor · d_model^−0.5 · min(step^−0.5, step · warmup^−1.5): it rises evenly for `warmup` steps
    and then falls with the square root of the step (Vaswani et al. 2017, eq. 3). In the last
    `cooldown` steps it is also multiplied by what is left of them.

    >>> config = TrainConfig(steps=1000, warmup=100)
    >>> [learning_rate(step, 64, config) for step in (50, 100, 400)]
    [0.00625, 0.0125, 0.00625]
    """
    rising = step if config.warmup_rises else max(step, config.warmup)
    paper = (
        config.learning_rate_factor
        * d_model**-0.5
        * min(rising**-0.5, rising * config.warmup**-1.5)
    )
    left = (config.steps + 1 - step) / max(config.cooldown, 1)
    return float(paper * min(1.0, left) if config.cooldown else paper)


def make_optimizer(model: Transformer, config: TrainConfig) -> torch.optim.Adam:
    """Return the paper's Adam; its learning rate is set anew at every step."""
    return torch.optim.Adam(
        model.parameters(), lr=0.0, betas=config.adam_betas, eps=config.adam_eps, fused=True
    )


def train(  # noqa: PLR0913
    model: Transformer,
    optimizer: torch.optim.Optimizer,
    batches: Iterable[Batch],
    config: TrainConfig,
    first_step: int = 0,
    workers: Workers = ALONE,
    reward: Reward | None = None,
) -> Iterator[TrainStep]:
    """Take one step a batch until `config.steps` are done; changes the model and the optimizer.

    Dropout draws from torch's global random state, which is seeded anew at each step: what a step
    does depends on nothing but the weights, the optimizer, the step and the seed.

    Args:
        model: On any device; put into training mode at each step.
        optimizer: From `make_optimizer`.
        batches: Beginning with the one for `first_step`; the same in all processes.
        config: Schedule, losses and number of steps.
        first_step: How many steps are done already.
        workers: The processes that train this model; each takes its part of every batch.
        reward: From `reward_of`, if the objective maximises rewards.

    Raises:
        TrainingError: The loss is not a number.
    """
    if (reward is None) == config.makes_rewards_large:
        raise ValueError(f"objective is {config.objective}: a reward belongs to the other ones")
    forward = workers.joined(model)
    for step, batch in enumerate(batches, start=first_step + 1):
        if step > config.steps:
            return
        started = time.perf_counter()
        # The caller may evaluate between the steps.
        model.train()
        torch.manual_seed(step_seed(config.seed, step, workers.rank))
        rate = learning_rate(step, model.config.d_model, config)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        parts = _parts(model, batch, step, config, workers)
        with rounded_products(config.precision, model.device):
            if reward is None:
                predicts_length = model.config.predicts_length
                auxiliary = Auxiliary.of(batch, config, predicts_length=predicts_length)
                loss, guide_loss = _add_gradients(forward, parts, batch, config, workers, auxiliary)
            else:
                drawn = ((part, draw(model, part, config, reward)) for part in parts)
                loss = _add_reward_gradients(forward, model.config, drawn, batch, config, workers)
                guide_loss = None
        if not isfinite(loss + (guide_loss or 0.0)):
            raise TrainingError(
                "the loss is {loss} at step {step}", loss=loss + (guide_loss or 0.0), step=str(step)
            )
        if config.clip_norm > 0:
            clip_grad_norm_(model.parameters(), config.clip_norm)
        optimizer.step()
        yield TrainStep(
            step=step,
            loss=loss,
            guide_loss=guide_loss,
            learning_rate=rate,
            n_tokens=batch.n_tokens,
            seconds=time.perf_counter() - started,
            reward=None if reward is None else -loss,
        )


def step_seed(seed: int, step: int, rank: int) -> int:
    """Return the random seed of a step, different in each process."""
    digest = hashlib.blake2b(f"{seed} {step} {rank}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


def _parts(
    model: Transformer, batch: Batch, step: int, config: TrainConfig, workers: Workers
) -> Iterator[Batch]:
    """Yield this process's share of a batch in `accumulate` parts."""
    first, count = workers.rank * config.accumulate, workers.count * config.accumulate
    for index in range(first, first + config.accumulate):
        part = batch.part(index, count).to(model.device)
        if config.teacher_forcing:
            yield scheduled_sampling(model, part, sampled_share(step, config))
        else:
            yield free_running(model, part)


def _add_gradients(
    forward: nn.Module,
    parts: Iterable[Batch],
    batch: Batch,
    config: TrainConfig,
    workers: Workers,
    auxiliary: Auxiliary,
) -> tuple[float, float | None]:
    """Add the gradients of this process's parts.

    Returns:
        The cross-entropy and the guided head's loss of the whole batch, None if the batch has
        no guided rows.
    """
    of_parts: list[Tensor] = []
    for index, part in enumerate(parts, start=1):
        # Gradients of several processes are brought together once, after the last part.
        with workers.together(forward, index == config.accumulate):
            with autocast(config.precision, part.fed_BT.device):
                loss, beside = losses(forward, part, batch, config, auxiliary)
            # Bringing together takes the mean over the processes; the losses are parts of a sum.
            ((loss + auxiliary.weight * beside) * workers.count).backward()
        of_parts.append(torch.stack([loss, beside]).detach())
    loss, guide_loss = workers.total(torch.stack(of_parts).sum(dim=0)).tolist()
    return loss, guide_loss if auxiliary.n_rows else None


def _add_reward_gradients(
    forward: nn.Module,
    model: ModelConfig,
    parts: Iterable[tuple[Batch, list[Candidates]]],
    batch: Batch,
    config: TrainConfig,
    workers: Workers,
) -> float:
    """Add the gradients of this process's parts; return minus the mean reward of the batch."""
    n_pairs = len(batch.source_BS)
    total = 0.0
    for index, (part, drawn) in enumerate(parts, start=1):
        device = part.fed_BT.device
        with workers.together(forward, index == config.accumulate):
            with autocast(config.precision, device):
                loss = metric_loss(forward, model, part.source_BS, drawn, config)
            (loss / n_pairs * workers.count).backward()
        total -= sum(each.sampled for each in drawn) / n_pairs
    return float(workers.total(torch.tensor(total, device=device)))
