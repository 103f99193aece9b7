"""The training loop, a generator, so that its caller decides what to do with each step; its losses.

B batch, T target length, V vocabulary, H heads, Q queries, K keys, R guided rows, N differences of
length.
"""

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_

from ..batch import Batch
from ..config import ModelConfig
from ..config.training import GuideTo, TrainConfig
from ..decoding.step import Stepper, mask_special_tokens
from ..device import autocast, rounded_products
from ..evaluate.loss import token_loss
from ..heads import Head, Site
from ..messages import MessageError
from ..model import Record, Step, Transformer
from ..model.output import difference_classes
from ..vocabulary import PAD
from .rewards import Candidates, Reward, draw, metric_loss
from .workers import ALONE, Workers

LENGTH_WEIGHT = 0.1
"""Weight of the predicted length's loss beside that of the words."""
Row = tuple[int, int, tuple[int, ...]]
"""Sentence, query, and the keys that a guided head should attend to."""


@dataclass
class Lengths:
    """A probe that keeps the scores of the target's length."""

    logits_BN: Tensor = field(init=False)

    def sees(self, site: Site) -> bool:
        """Only the length classifier, so that sublayers keep their fused kernels."""
        return site.sublayer == "length"

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Keep the scores."""
        self.logits_BN = tensor
        return tensor


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """An auxiliary loss beside that of the words: guided attention, or the length of targets."""

    guide: Head | None
    n_rows: int
    """Number of guided rows in the whole batch."""
    predicts_length: bool
    weight: float
    """Weight of the auxiliary loss."""

    @classmethod
    def of(cls, batch: Batch, config: TrainConfig, *, predicts_length: bool) -> "Auxiliary":
        """Return the auxiliary loss of a whole batch."""
        guide = Head.parse(config.guide) if config.guide else None
        n_rows = len(guided_rows(batch, guide, config.guide_to)) if guide else 0
        weight = LENGTH_WEIGHT if predicts_length else config.guide_weight
        return cls(guide, n_rows, predicts_length, weight)


def losses(
    model: nn.Module, part: Batch, batch: Batch, config: TrainConfig, auxiliary: Auxiliary
) -> tuple[Tensor, Tensor]:
    """Return the cross-entropy of the words, and the auxiliary loss without its weight.

    Args:
        model: In training mode.
        part: A part of a batch, or all of it.
        batch: The whole batch: the losses of its parts sum to its own.
        config: Label smoothing, and where the guided head should attend to.
        auxiliary: The auxiliary loss; 0 if there is none.
    """
    guide = auxiliary.guide
    probe: Lengths | Record | None = None
    if auxiliary.predicts_length:
        probe = Lengths()
    elif guide is not None:
        probe = Record(frozenset({Step.WEIGHTS}), frozenset({guide.site}), keep_graph=True)
    logits_BTV = model(*part.inputs, probe)
    loss = token_loss(logits_BTV, part.labels_BT, config.label_smoothing, batch.n_tokens)
    if isinstance(probe, Lengths):
        return loss, length_loss(probe.logits_BN, part, len(batch.source_BS))
    if isinstance(probe, Record) and guide is not None:
        rows = guided_rows(part, guide, config.guide_to)
        return loss, guided_loss(probe.weights(guide.site), rows, guide, auxiliary.n_rows)
    return loss, loss.new_zeros(())


def guided_loss(
    weights_BHQK: Tensor, rows: Sequence[Row], head: Head, n_rows: int | None = None
) -> Tensor:
    """Return −log of the head's weight on the keys of each row, averaged over rows.

    Zero without rows.

    Args:
        weights_BHQK: Weights of the guided head's sublayer.
        rows: From `guided_rows`.
        head: The guided head.
        n_rows: Number of guided rows in the whole batch, if this is a part.
    """
    if not rows:
        # Still in the graph, so that every weight has a gradient in every part of a batch.
        return weights_BHQK.sum() * 0.0
    queries_R2 = torch.tensor([(sentence, query) for sentence, query, _ in rows])
    sentences_R, queries_R = queries_R2.to(weights_BHQK.device).unbind(1)
    mask_RK = torch.zeros(len(rows), weights_BHQK.shape[-1], device=weights_BHQK.device)
    for row, (_, _, keys) in enumerate(rows):
        mask_RK[row, list(keys)] = 1.0
    weight_R = (weights_BHQK[sentences_R, head.index, queries_R] * mask_RK).sum(dim=-1)
    return -weight_R.clamp_min(1e-9).log().sum() / (n_rows or len(rows))


def guided_rows(batch: Batch, head: Head, guide_to: GuideTo = "antecedent") -> list[Row]:
    """Return the rows in which a guided head should attend to certain keys.

    antecedent: the row of each pronoun in the encoder, and in cross-attention that of the step that
    writes it. alignment: the row of each step of cross-attention that writes a word, which attends
    to the source words that it comes from (Chen et al. 2016, guided alignment).
    """
    if guide_to == "alignment":
        return [
            (sentence, query, keys)
            for sentence, links in enumerate(batch.alignment)
            for query, keys in links
        ]
    return [
        (sentence, query, reference.antecedent)
        for sentence, references in enumerate(batch.references)
        for reference in references
        for query in reference.rows(head.site.side)
    ]


def length_loss(logits_BN: Tensor, batch: Batch, n_pairs: int | None = None) -> Tensor:
    """Return the cross-entropy of the targets' lengths in nats, the mean over sentences.

    Args:
        logits_BN: Scores for each difference of length.
        batch: A part of a batch, with as many places as target tokens.
        n_pairs: Number of sentences in the whole batch; None if this is the whole batch.
    """
    source_B = batch.said("source").sum(dim=1)
    # Inputs begin with BOS, and the last place is EOS.
    target_B = batch.said("target").sum(dim=1) - 1
    exact = torch.promote_types(logits_BN.dtype, torch.float32)
    classes_B = difference_classes(source_B, target_B)
    total = cross_entropy(logits_BN.to(exact), classes_B, reduction="sum")
    return total / (len(classes_B) if n_pairs is None else n_pairs)


# ---- decoder inputs that the model writes itself


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


# ---- the loop


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
    """Making its batch included."""
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
    started = time.perf_counter()
    for step, batch in enumerate(batches, start=first_step + 1):
        if step > config.steps:
            return
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
        # The caller may evaluate between the steps.
        started = time.perf_counter()


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
