"""Training on the metric: objectives that raise the reward of whole sentences the model samples.

B batch, N targets of all its sources, T target length, V vocabulary.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from sacrebleu.metrics.bleu import BLEU
from torch import Tensor

from ..batch import Batch, Ids, pad
from ..config import ModelConfig
from ..config.training import TrainConfig
from ..decoding.choosing import Sampling
from ..decoding.generate import generate
from ..decoding.step import mask_special_tokens
from ..evaluate.bleu import bleu_tokens
from ..model import Transformer
from ..tokenizer.tokenizer import Tokenizer

Reward = Callable[[Ids, Ids], float]
"""(output, reference) → 0 … 1; both without BOS and up to EOS."""


def reward_of(config: TrainConfig, tokenizer: Tokenizer) -> Reward | None:
    """Return the reward function of the objective; None for cross-entropy."""
    if not config.makes_rewards_large:
        return None
    if config.reward == "bleu":
        return _sentence_bleu(tokenizer)
    return _exact if config.reward == "exact" else _constant


def _sentence_bleu(tokenizer: Tokenizer) -> Reward:
    """Return BLEU of one sentence, smoothed, of as many n-grams as it has (sacrebleu's)."""
    bleu_of = lru_cache(lambda tokens: BLEU(tokenize=tokens, effective_order=True))

    def reward(output: Ids, target: Ids) -> float:
        right = tokenizer.decode(target)
        bleu = bleu_of(bleu_tokens([right])).sentence_score(tokenizer.decode(output), [right])
        # Rounding may bring a perfect score a hair above 100.
        return min(1.0, bleu.score / 100)

    return reward


def _exact(output: Ids, target: Ids) -> float:
    return float(output == target)


def _constant(_output: Ids, _target: Ids) -> float:
    return 1.0


Scores = Callable[[Tensor, Tensor], Tensor]
"""A model: (source_BS, fed_BT) → logits_BTV."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Targets of one source with their rewards."""

    targets: tuple[Ids, ...]
    """Without BOS, up to EOS."""
    rewards: tuple[float, ...]
    baseline: float = 0.0
    """Baseline that is subtracted from the rewards."""
    sampled: float = 0.0
    """Mean reward of the sampled targets."""


@torch.no_grad()
def draw(model: Transformer, batch: Batch, config: TrainConfig, reward: Reward) -> list[Candidates]:
    """Let a model write targets for each source of a batch.

    For minimum risk, the distinct samples and the true target (Shen et al. 2016); else all samples,
    and in self-critical training the reward of the greedy target as the baseline (Rennie et al.
    2017).

    Args:
        model: Of encoder and decoder; left in the mode that it was in.
        batch: Sources and true targets, on the model's device.
        config: Objective, and number of samples.
        reward: From `reward_of`.
    """
    was_training = model.training
    model.eval()
    n = config.samples
    outputs = generate(model, batch.source_BS.repeat_interleave(n, dim=0), Sampling(seed=None))
    greedy: Sequence[Ids] = ()
    if config.objective == "self_critical":
        greedy = generate(model, batch.source_BS)
    model.train(was_training)
    candidates = []
    for at, row in enumerate(batch.labels_BT.tolist()):
        true = tuple(token for token in row if token != batch.pad_id)
        targets = samples = tuple(outputs[at * n : (at + 1) * n])
        if config.objective == "minimum_risk":
            targets = tuple(dict.fromkeys((true, *samples)))
        baseline = reward(greedy[at], true) if greedy else 0.0
        worth = {target: reward(target, true) for target in targets}
        rewards = tuple(worth[target] for target in targets)
        sampled = sum(worth[target] for target in samples) / n
        candidates.append(Candidates(targets, rewards, baseline, sampled))
    return candidates


def metric_loss(
    scores: Scores,
    model: ModelConfig,
    source_BS: Tensor,
    candidates: Sequence[Candidates],
    config: TrainConfig,
) -> Tensor:
    """Return the loss, summed over the sources.

    Minimum risk (Shen et al. 2016, eq. 9): −Σ Q(y) r(y) with Q(y) ∝ P(y)^α over the candidates.
    Else −Σ (r(y) − b) log P(y) / n, whose gradient is that of REINFORCE (Williams 1992): b is the
    greedy target's reward in self-critical training, and 0 without a baseline.

    Args:
        scores: The model, which may be one that brings the gradients of processes together.
        model: Its settings.
        source_BS: The sources.
        candidates: One for each source.
        config: Objective and α.
    """
    targets = [target for each in candidates for target in each.targets]
    sizes = [len(each.targets) for each in candidates]
    repeats_B = torch.tensor(sizes, device=source_BS.device)
    sources_NS = source_BS.repeat_interleave(repeats_B, dim=0)
    log_probabilities_N = sequence_log_probabilities(scores, model, sources_NS, targets)
    rewards_N = log_probabilities_N.new_tensor([r for each in candidates for r in each.rewards])
    total = log_probabilities_N.new_zeros(())
    of_each = zip(candidates, log_probabilities_N.split(sizes), rewards_N.split(sizes), strict=True)
    for each, logs_N, worth_N in of_each:
        if config.objective == "minimum_risk":
            total = total - ((config.alpha * logs_N).softmax(dim=0) * worth_N).sum()
        else:
            total = total - ((worth_N - each.baseline) * logs_N).mean()
    return total


def sequence_log_probabilities(
    scores: Scores, model: ModelConfig, source_NS: Tensor, targets: Sequence[Ids]
) -> Tensor:
    """Return log P of whole targets, in nats, each after its source.

    PAD and BOS, which are never written, have no probability.

    Args:
        scores: The model.
        model: Its settings.
        source_NS: A source for each target.
        targets: Without BOS, up to EOS or to where writing was cut.
    """
    device = source_NS.device
    fed_NT = pad([(*model.begins, *target[:-1]) for target in targets], pad_id=model.pad_id)
    labels_NT = pad(targets, pad_id=model.pad_id).to(device)
    logits_NTV = mask_special_tokens(scores(source_NS, fed_NT.to(device)), model)
    exact = torch.promote_types(logits_NTV.dtype, torch.float32)
    logs_NTV = logits_NTV.to(exact).log_softmax(dim=-1)
    logs_NT = logs_NTV.gather(-1, labels_NT[..., None])[..., 0]
    return torch.where(labels_NT == model.pad_id, 0.0, logs_NT).sum(dim=1)
