"""What a model and its training are made from: frozen, validated, and the key of every cache."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from core.heads import Stack

Norm = Literal["post", "pre"]
Positions = Literal["sinusoidal", "learned"]
Precision = Literal["auto", "float32", "bfloat16"]


class ConfigError(ValueError):
    """A setting that cannot be; the message names it, its value and what would do."""


def require(condition: bool, message: str) -> None:
    """Refuse with a message what cannot be.

    Raises:
        ConfigError: The condition does not hold.
    """
    if not condition:
        raise ConfigError(message)


def _fits(value: object, wanted: object) -> bool:
    """Say whether a value is of a setting's type; an int may stand for a float."""
    if wanted is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return not isinstance(wanted, type) or type(value) is wanted


class _Config:
    """Reading and writing, the same for every config."""

    def _check_types(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            wanted = getattr(field.type, "__name__", field.type)
            require(_fits(value, field.type), f"{field.name} is {value!r}, not of type {wanted}")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        return dataclasses.asdict(self)  # type: ignore[call-overload]

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """Build from `to_dict`; a name that is not a setting is refused, never ignored.

        Raises:
            ConfigError: An unknown or missing name, or a value that cannot be.
        """
        known = {field.name for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        unknown = sorted(set(settings) - known)
        require(not unknown, f"{cls.__name__} has no setting {', '.join(unknown)}")
        try:
            return cls(**settings)
        except TypeError as error:
            raise ConfigError(f"{cls.__name__}: {error}") from error


@dataclass(frozen=True, slots=True)
class ModelConfig(_Config):
    """The sizes of a Transformer; the defaults are the paper's base model (Table 3)."""

    vocab_size: int
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6
    d_model: int = 512
    d_ff: int = 2048
    n_heads: int = 8
    d_k: int = 0
    """Width of a head's queries and keys; 0 becomes d_model / n_heads, as in the paper."""
    d_v: int = 0
    """Width of a head's values; 0 becomes d_model / n_heads."""
    dropout: float = 0.1
    norm: Norm = "post"
    positions: Positions = "sinusoidal"
    max_positions: int = 512
    """Longest sequence, BOS or EOS included."""
    tied: bool = True
    """One matrix serves source embedding, target embedding and output projection."""

    def __post_init__(self) -> None:
        self._check_types()
        counts = ("n_encoder_layers", "n_decoder_layers", "n_heads", "max_positions")
        for name in ("vocab_size", "d_model", "d_ff", *counts):
            require(getattr(self, name) >= 1, f"{name} is {getattr(self, name)}, not 1 or more")
        for name in ("d_k", "d_v"):
            require(getattr(self, name) >= 0, f"{name} is {getattr(self, name)}, not 0 or more")
        require(0 <= self.dropout < 1, f"dropout is {self.dropout}, not in [0, 1)")
        require(self.norm in get_args(Norm), f"norm is {self.norm!r}, not post or pre")
        require(
            self.positions in get_args(Positions),
            f"positions is {self.positions!r}, not sinusoidal or learned",
        )
        require(
            self.positions == "learned" or self.d_model % 2 == 0,
            f"d_model is {self.d_model}: sinusoids come in pairs and need an even width",
        )
        self._fill_head_widths()

    def layers_of(self, stack: Stack) -> int:
        """Return how many layers a stack has."""
        return {"encoder": self.n_encoder_layers, "decoder": self.n_decoder_layers}[stack]

    def _fill_head_widths(self) -> None:
        for name in ("d_k", "d_v"):
            if getattr(self, name) == 0:
                require(
                    self.d_model % self.n_heads == 0,
                    f"{self.n_heads} heads cannot share a width of {self.d_model} evenly: "
                    "d_model is no multiple of n_heads",
                )
                object.__setattr__(self, name, self.d_model // self.n_heads)


@dataclass(frozen=True, slots=True)
class TrainConfig(_Config):
    """How a model is trained; the defaults are the paper's (section 5) except for the sizes."""

    steps: int = 1000
    batch_size: int = 64
    """Sentence pairs in a batch."""
    batch_tokens: int = 0
    """Tokens of a batch of own pairs at most, on either side and filled up to the longest, in place
    of so many pairs (a pair that is longer is a batch by itself); 0 where the pairs are counted."""
    made_share: float = 0.5
    """Of the sentences in a batch, where a task makes some of them beside the user's own pairs."""
    warmup: int = 4000
    """Steps in which the learning rate rises."""
    cooldown: int = 0
    """Last steps, in which the learning rate falls evenly to 0; the paper has none."""
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
    guide_weight: float = 0.1
    """Weight of the guided attention's loss beside the cross-entropy."""
    scheduled_sampling: float = 0.0
    """Share of the decoder's inputs that are the model's own words instead of the true ones at the
    end of training; it rises evenly from 0 at the first step (Bengio et al. 2015)."""
    accumulate: int = 1
    """Parts in which a batch is computed, one after the other, where it does not fit at once."""
    precision: Precision = "auto"
    """Of matrix products; weights and optimizer are float32. auto: bfloat16 on CUDA."""
    patience: int = 0
    """Evaluations in a row without a lower held-out loss after which training stops; 0 for never.
    A run that has patience opens with its best weights, not with its last."""
    evaluate_every: int = 500
    checkpoint_every: int = 500
    keep_checkpoints: int = 1
    """The weights of so many checkpoints stay, to be averaged; training goes on from the newest."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "adam_betas", tuple(self.adam_betas))  # JSON has only lists
        self._check_types()
        counts = ("steps", "batch_size", "warmup", "accumulate")
        for name in (*counts, "evaluate_every", "checkpoint_every", "keep_checkpoints"):
            require(getattr(self, name) >= 1, f"{name} is {getattr(self, name)}, not 1 or more")
        not_negative = ("cooldown", "learning_rate_factor", "guide_weight", "clip_norm", "patience")
        for name in (*not_negative, "batch_tokens"):
            require(getattr(self, name) >= 0, f"{name} is {getattr(self, name)}, not 0 or more")
        for name in ("made_share", "label_smoothing", "scheduled_sampling"):
            require(0 <= getattr(self, name) < 1, f"{name} is {getattr(self, name)}, not in [0, 1)")
        require(
            self.accumulate <= self.batch_size or self.batch_tokens > 0,
            f"accumulate is {self.accumulate}, more than the {self.batch_size} pairs of a batch",
        )
        require(
            self.precision in get_args(Precision),
            f"precision is {self.precision!r}, not {', '.join(get_args(Precision))}",
        )
