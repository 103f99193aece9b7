"""The knobs of a training: what each setting does, and what the paper has."""

from dataclasses import dataclass
from typing import get_args

from core.config import Norm, Positions, Precision
from pages.frame.text import _

LARGEST_VOCABULARY = 50_000


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting as it is asked for."""

    name: str
    """The setting's."""
    label: str
    text: str
    """What it does, and what the paper has; to be read on demand."""
    limits: tuple[float, float] = (0, 1)
    """The smallest and the largest, where it is a number."""
    step: float = 1
    """What the buttons add and take away."""
    offered: tuple[str, ...] = ()
    """The words to choose from, where it is no number."""


VOCABULARY = Knob(
    "vocab_size",
    _("Vocabulary"),
    _(
        "Tokens that the tokenizer learns at most: 3 special ones, the 256 bytes, and frequent "
        "pieces of words (BPE). The paper: 37,000."
    ),
    (260, LARGEST_VOCABULARY),
    20,
)

MODEL: tuple[Knob, ...] = (
    Knob(
        "n_encoder_layers",
        _("Encoder layers"),
        _("Each lets the source look at itself once more. The paper: 6."),
        (1, 24),
    ),
    Knob(
        "n_decoder_layers",
        _("Decoder layers"),
        _("Each looks at the target so far, and then at the source. The paper: 6."),
        (1, 24),
    ),
    Knob(
        "n_heads",
        _("Heads"),
        _("Each attention has so many, which share the width evenly. The paper: 8."),
        (1, 64),
    ),
    Knob(
        "d_model",
        _("d_model"),
        _("Numbers that stand for a token between the layers. The paper: 512."),
        (1, 2048),
        16,
    ),
    Knob(
        "d_ff",
        _("d_ff"),
        _("Hidden units of each feed-forward layer. The paper: 2048."),
        (1, 8192),
        64,
    ),
    Knob(
        "norm",
        _("Norm"),
        _(
            "post: after each sublayer and its sum, as in the paper. pre: before each "
            "sublayer, which learns more steadily."
        ),
        offered=get_args(Norm),
    ),
    Knob(
        "positions",
        _("Positions"),
        _("How a token is told where it stands. The paper: sinusoidal."),
        offered=get_args(Positions),
    ),
)

LEARNING: tuple[Knob, ...] = (
    Knob("steps", _("Steps"), _("Batches to learn from. The paper: 100,000."), (1, 10**6)),
    Knob(
        "batch_size",
        _("Pairs in a batch"),
        _("The paper: about 25,000 tokens of each language."),
        (1, 4096),
    ),
    Knob(
        "learning_rate_factor",
        _("Learning rate ×"),
        _("Multiplies the paper's learning rate, which depends on d_model and warm-up."),
        (0, 100),
        0.1,
    ),
    Knob(
        "warmup",
        _("Warm-up steps"),
        _("Steps in which the learning rate rises. The paper: 4000."),
        (1, 10**6),
        50,
    ),
    Knob(
        "accumulate",
        _("Parts of a batch"),
        _(
            "A batch that does not fit into memory is computed in so many parts, one after "
            "the other. Without dropout it learns the same."
        ),
        (1, 4096),
    ),
    Knob(
        "clip_norm",
        _("Clip norm"),
        _("Gradients are scaled down to this norm; 0 leaves them as in the paper."),
        (0, 1000),
        0.5,
    ),
    Knob(
        "precision",
        _("Precision"),
        _("Of matrix products. auto: bfloat16 on CUDA, float32 elsewhere."),
        offered=get_args(Precision),
    ),
    Knob(
        "seed",
        _("Seed"),
        _("Of weights, samples and dropout: the same seed makes the same run."),
        (0, 10**9),
    ),
)

REGULARISATION: tuple[Knob, ...] = (
    Knob(
        "dropout",
        _("Dropout"),
        _("Share of numbers that each step of training leaves out. The paper: 0.1."),
        (0, 0.95),
        0.05,
    ),
    Knob(
        "label_smoothing",
        _("Label smoothing"),
        _("Share of probability that is asked for all other tokens. The paper: 0.1."),
        (0, 0.95),
        0.05,
    ),
    Knob(
        "patience",
        _("Patience"),
        _(
            "Training stops after so many measurements without a lower held-out loss; 0 "
            "for never, as in the paper."
        ),
        (0, 1000),
    ),
    Knob(
        "scheduled_sampling",
        _("Sched. sampling"),
        _(
            "Scheduled sampling: share of the decoder's inputs that are its own words instead of "
            "the true ones at the end of training; it rises evenly from 0. The paper: 0."
        ),
        (0, 0.95),
        0.05,
    ),
)

GROUPS: dict[str, tuple[Knob, ...]] = {
    _("Model"): MODEL,
    _("Learning"): LEARNING,
    _("Against learning by heart, and against exposure bias"): REGULARISATION,
}
"""What stands above some knobs → the knobs."""
