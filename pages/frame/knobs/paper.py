"""The settings that the paper names: what each does, and what the paper has."""

from collections.abc import Mapping
from typing import get_args

from core.choices import CHOICES, Norm
from core.train_config import Precision
from pages.frame.knobs.knob import Knob
from pages.frame.language import N_

_VOCABULARY = N_(
    "Tokens that the tokenizer learns at most: 3 special ones, the 256 bytes, and frequent pieces "
    "of words (BPE). The paper: 37,000."
)
_ENCODER = N_("Each lets the source look at itself once more. The paper: 6.")
_DECODER = N_("Each looks at the target so far, and then at the source. The paper: 6.")
_HEADS = N_("Each attention has so many, which share the width evenly. The paper: 8.")
_D_MODEL = N_("Numbers that stand for a token between the layers. The paper: 512.")
_D_FF = N_("Hidden units of each feed-forward layer. The paper: 2048.")
_NORM = N_(
    "post: after each sublayer and its sum, as in the paper. pre: before each sublayer, which "
    "learns more steadily."
)
_POSITIONS = N_(
    "How a token is told where it stands: sinusoids or learned vectors are added to it, queries "
    "and keys are turned (rotary), scores get a number for each distance (relative), or it is not "
    "told (none). The paper: sinusoidal."
)
_STEPS = N_("Batches to learn from. The paper: 100,000.")
_BATCH = N_("The paper: about 25,000 tokens of each language.")
_RATE = N_("Multiplies the paper's learning rate, which depends on d_model and warm-up.")
_WARMUP = N_("Steps in which the learning rate rises. The paper: 4000.")
_ACCUMULATE = N_(
    "A batch that does not fit into memory is computed in so many parts, one after the other. "
    "Without dropout it learns the same."
)
_CLIP = N_("Gradients are scaled down to this norm; 0 leaves them as in the paper.")
_PRECISION = N_("Of matrix products. auto: bfloat16 on CUDA, float32 elsewhere.")
_SEED = N_("Of weights, samples and dropout: the same seed makes the same run.")
_DROPOUT = N_("Share of numbers that each step of training leaves out. The paper: 0.1.")
_SMOOTHING = N_(
    "Share of the target's probability that is spread evenly over all tokens, the true one among "
    "them. The paper: 0.1."
)
_PATIENCE = N_(
    "Training stops after so many measurements without a lower held-out loss; 0 for never, as in "
    "the paper."
)
_SAMPLING = N_(
    "Scheduled sampling: share of the decoder's inputs that are its own words instead of the true "
    "ones at the end of training; it rises evenly from 0. The paper: 0."
)

VOCABULARY = Knob("vocab_size", N_("Vocabulary"), _VOCABULARY, (260, 50_000), 20)
MODEL = (
    Knob("n_encoder_layers", N_("Encoder layers"), _ENCODER, (1, 24)),
    Knob("n_decoder_layers", N_("Decoder layers"), _DECODER, (1, 24)),
    Knob("n_heads", N_("Heads per layer"), _HEADS, (1, 64)),
    Knob("d_model", N_("d_model"), _D_MODEL, (1, 2048), 16),
    Knob("d_ff", N_("d_ff"), _D_FF, (1, 8192), 64),
    Knob("norm", N_("Norm"), _NORM, offered=get_args(Norm)),
    Knob("positions", N_("Positions"), _POSITIONS, offered=CHOICES["positions"]),
)
GROUPS: Mapping[str, tuple[Knob, ...]] = {
    N_("Model"): MODEL,
    N_("Learning"): (
        Knob("steps", N_("Steps"), _STEPS, (1, 10**6)),
        Knob("batch_size", N_("Pairs in a batch"), _BATCH, (1, 4096)),
        Knob("learning_rate_factor", N_("Learning rate ×"), _RATE, (0, 100), 0.1),
        Knob("warmup", N_("Warm-up steps"), _WARMUP, (1, 10**6), 50),
        Knob("accumulate", N_("Parts of a batch"), _ACCUMULATE, (1, 4096)),
        Knob("clip_norm", N_("Clip norm"), _CLIP, (0, 1000), 0.5),
        Knob("precision", N_("Precision"), _PRECISION, offered=get_args(Precision)),
        Knob("seed", N_("Seed"), _SEED, (0, 10**9)),
    ),
    N_("Against learning by heart, and against exposure bias"): (
        Knob("dropout", N_("Dropout"), _DROPOUT, (0, 0.95), 0.05),
        Knob("label_smoothing", N_("Label smoothing"), _SMOOTHING, (0, 0.95), 0.05),
        Knob("patience", N_("Patience"), _PATIENCE, (0, 1000)),
        Knob("scheduled_sampling", N_("Sched. sampling"), _SAMPLING, (0, 0.95), 0.05),
    ),
}
"""What stands above some knobs → the knobs."""
