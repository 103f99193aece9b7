"""How a model is trained: frozen and validated."""

import dataclasses
from dataclasses import dataclass
from reprlib import repr
from typing import Any, Literal

from .settings import Settings

Precision = Literal["auto", "float32", "bfloat16"]
GuideTo = Literal["antecedent", "alignment"]
Objective = Literal["cross_entropy", "minimum_risk", "self_critical", "reinforce"]
RewardName = Literal["bleu", "exact", "constant"]


@dataclass(frozen=True, slots=True)
class TrainConfig(Settings):
    """How a model is trained; the defaults are the paper's (section 5) except for the sizes."""

    steps: int = 1000
    batch_size: int = 64
    """Sentence pairs in a batch."""
    batch_tokens: int = 0
    """Maximum tokens per side in a batch of own pairs, padding included (a longer pair is a batch
    by itself); 0 for batches of `batch_size` pairs."""
    made_share: float = 0.5
    """Share of generated sentences in a batch, if a task generates some beside own pairs."""
    warmup: int = 4000
    """Steps over which the learning rate rises."""
    warmup_rises: bool = True
    """False: it is at its peak from the first step to the end of these."""
    cooldown: int = 0
    """Last steps, over which the learning rate falls linearly to 0; the paper has none."""
    learning_rate_factor: float = 1.0
    """Multiplies the paper's learning rate."""
    label_smoothing: float = 0.1
    adam_betas: tuple[float, float] = (0.9, 0.98)
    adam_eps: float = 1e-9
    clip_norm: float = 0.0
    """Gradients are scaled down to this norm; 0 leaves them as they are, as in the paper."""
    seed: int = 0
    guide: str = ""
    """Guided attention: the head that is asked to look from a pronoun to its antecedent, as
    SITE:HEAD (`encoder.1.self:0`); empty for none."""
    guide_to: GuideTo = "antecedent"
    """Where the guided head is asked to look: alignment for one of cross-attention that is to look
    from each word of the target to the source words that it comes from."""
    guide_weight: float = 0.1
    """Weight of the guided attention's loss beside the cross-entropy."""
    scheduled_sampling: float = 0.0
    """Share of the decoder's inputs that are the model's own words instead of the true ones at the
    end of training; it rises evenly from 0 at the first step (Bengio et al. 2015)."""
    teacher_forcing: bool = True
    """False: the decoder is fed its own words from the first step on (free running)."""
    objective: Objective = "cross_entropy"
    """What is minimised: the cross-entropy of each word, or minus the expected reward of whole
    sentences. minimum_risk: over the true target and samples (Shen et al. 2016).
    self_critical: of samples beside the greedy target's (Rennie et al. 2017). reinforce: of
    samples, without a baseline. All but the first begin with a trained run."""
    reward: RewardName = "bleu"
    """Reward of a sentence: BLEU, exact match, or the constant 1, the control of Choshen et al.
    (2020)."""
    samples: int = 8
    """Targets sampled for each source, if rewards are maximised."""
    alpha: float = 0.05
    """How sharp the distribution over the samples is under minimum_risk; Shen et al. have 100
    samples and 0.005."""
    accumulate: int = 1
    """Parts in which a batch is computed one after the other, to save memory."""
    precision: Precision = "auto"
    """Precision of matrix products; weights and optimizer are float32. auto: bfloat16 on CUDA."""
    patience: int = 0
    """Evaluations in a row without a lower held-out loss after which training stops; 0 for never.
    A run that has patience opens with its best weights, not with its last."""
    evaluate_every: int = 500
    checkpoint_every: int = 500
    keep_checkpoints: int = 1
    """Checkpoints whose weights are kept, for averaging; training resumes from the newest."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "adam_betas", tuple(self.adam_betas))  # JSON has only lists
        self.check_values()
        positive = ("steps", "batch_size", "warmup", "accumulate", "samples")
        not_negative = ("cooldown", "learning_rate_factor", "guide_weight", "clip_norm", "patience")
        least = dict.fromkeys((*positive, "evaluate_every", "checkpoint_every"), 1)
        least |= {"keep_checkpoints": 1} | dict.fromkeys((*not_negative, "batch_tokens", "seed"), 0)
        for name, lowest in least.items():
            value = getattr(self, name)
            self.require(
                value >= lowest,
                "{name} is {value}, not {least} or more",
                name=name,
                value=value,
                least=lowest,
            )
        for name in ("made_share", "label_smoothing", "scheduled_sampling"):
            value = getattr(self, name)
            self.require(0 <= value < 1, "{name} is {value}, not in [0, 1)", name=name, value=value)
        self.require(
            self.accumulate <= self.batch_size or self.batch_tokens > 0,
            "accumulate is {accumulate}, more than the {batch_size} pairs of a batch",
        )
        self.require(
            bool(self.guide) or self.guide_to == "antecedent",
            "guide_to is {guide_to}, and guide names no head to be guided",
        )
        self.require(self.alpha > 0, "alpha is {alpha}, not above 0")
        self.require(self.adam_eps > 0, "adam_eps is {adam_eps}, not above 0")
        self.require(
            self.teacher_forcing or self.scheduled_sampling == 0,
            "scheduled_sampling is {scheduled_sampling}, and teacher_forcing is "
            "False: then all inputs are the model's own words",
        )
        if self.makes_rewards_large:
            self._check_objective()

    @property
    def makes_rewards_large(self) -> bool:
        """Whether the objective is the reward of sampled sentences, not the loss of each word."""
        return self.objective != "cross_entropy"

    def _check_objective(self) -> None:
        """Refuse settings that do not go with rewards."""
        for name, usual in (("guide", ""), ("scheduled_sampling", 0), ("teacher_forcing", True)):
            value = getattr(self, name)
            self.require(
                value == usual,
                "{name} is {value}, which goes with the cross-entropy, and objective "
                "is {objective}",
                name=name,
                value=repr(value),
            )
        # A constant reward has no gradient beside a baseline or among weighted candidates.
        self.require(
            self.reward != "constant" or self.objective == "reinforce",
            "reward is constant, whose gradient is 0 under {objective}: "
            "objective=reinforce is the control",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON values; those added later only if not the default."""
        settings = Settings.to_dict(self)
        usual = {field.name: field.default for field in dataclasses.fields(self)}
        return {n: value for n, value in settings.items() if n not in _LATER or value != usual[n]}


_LATER = ("guide_to", "teacher_forcing", "objective", "reward", "samples", "alpha")
"""Settings that older files do not have."""
