"""What can be varied inside a layer: attention, the other sublayers, and positions."""

from core.choices import CHOICES
from pages.frame.knobs.knob import Knob
from pages.frame.language import N_

ATTENTION = (
    Knob(
        "scores",
        N_("Scores"),
        N_(
            "What a query and a key make of each other. dot product: as in the paper. additive: a "
            "small network (Bahdanau et al. 2015). linear: products of features, without a "
            "softmax (Katharopoulos et al. 2020)."
        ),
        offered=CHOICES["scores"],
        words={
            "dot": N_("dot product"),
            "additive": N_("additive"),
            "linear": N_("linear"),
        },
    ),
    Knob(
        "score_scale",
        N_("Scores divided by"),
        N_(
            "The paper divides dot products by √d_k, so that the softmax does not saturate. "
            "Nothing: they stay as they are."
        ),
        offered=CHOICES["score_scale"],
        words={
            "width": "√d_k",
            "width_and_layer": N_("√d_k · layer number"),
            "none": N_("nothing"),
        },
    ),
    Knob(
        "shared",
        N_("Shared projections"),
        N_(
            "Which of the projections to queries, keys and values are one matrix, in every layer. "
            "The paper: none."
        ),
        offered=CHOICES["shared"],
        words={"nothing": N_("none"), "qk": "Q = K", "kv": "K = V", "qkv": "Q = K = V"},
    ),
    Knob(
        "projections",
        N_("Projections to Q, K, V"),
        N_("Off: each head's queries, keys and values are its share of what comes in, as it is."),
    ),
    Knob(
        "output_projection",
        N_("Output projection W^O"),
        N_("Off: what the heads make stands side by side, and nothing mixes it."),
    ),
    Knob(
        "d_k",
        "d_k",
        N_(
            "Width of a head's queries and keys. Empty: heads share d_model evenly, as in the "
            "paper."
        ),
        (0, 512),
        4,
    ),
    Knob(
        "d_v",
        "d_v",
        N_("Width of a head's values. Empty: heads share d_model evenly, as in the paper."),
        (0, 512),
        4,
    ),
    Knob(
        "n_kv_heads",
        N_("Sets of keys and values"),
        N_(
            "Several heads can share one set of keys and values (grouped-query attention). Empty: "
            "one set for each head, as in the paper."
        ),
        (0, 64),
    ),
    Knob(
        "attention_bias",
        N_("Bias in attention"),
        N_("The projections of attention add a learned number to each of their outputs."),
    ),
)
SUBLAYERS = (
    Knob(
        "norm_kind",
        N_("Kind of norm"),
        N_(
            "LayerNorm: over the numbers of one token, as in the paper. RMSNorm: the same without "
            "a mean. BatchNorm: over all tokens of a batch. none: without a norm."
        ),
        offered=CHOICES["norm_kind"],
        words={"layer": "LayerNorm", "rms": "RMSNorm", "batch": "BatchNorm", "none": N_("none")},
    ),
    Knob(
        "norm_eps",
        N_("ε of the norm"),
        N_("Added to the variance, so that nothing is divided by 0."),
        (1e-12, 1),
        1e-5,
    ),
    Knob(
        "residual",
        N_("Residual connections"),
        N_(
            "What a sublayer makes is added to what it was given. Off: it takes its place, and "
            "deep models hardly learn."
        ),
    ),
    Knob(
        "feed_forward",
        N_("Feed-forward layers"),
        N_("Off: a layer is attention alone."),
    ),
    Knob(
        "activation",
        N_("Activation"),
        N_("What is not linear in a feed-forward layer. The paper: ReLU."),
        offered=CHOICES["activation"],
        words={"relu": "ReLU", "gelu": "GELU", "gelu_tanh": N_("GELU with tanh"), "silu": "SiLU"},
    ),
    Knob(
        "gated",
        N_("Gated feed-forward"),
        N_("The units of a feed-forward layer are multiplied with a second projection (GLU)."),
    ),
    Knob(
        "ff_bias",
        N_("Bias in feed-forward"),
        N_("Both matrices of a feed-forward layer add a learned number to each output."),
    ),
)
POSITIONS = (
    Knob(
        "max_positions",
        N_("Most positions"),
        N_("The longest source or target, in tokens; longer pairs are left out."),
        (2, 4096),
        16,
    ),
    Knob(
        "sinusoid_base",
        N_("Base of the sinusoids"),
        N_("The larger, the more slowly the slowest sinusoid turns. The paper: 10,000."),
        (1, 10**7),
        1000,
    ),
    Knob(
        "rotary_base",
        N_("Base of rotary positions"),
        N_("The same for rotary positions, which turn queries and keys."),
        (1, 10**7),
        1000,
    ),
    Knob(
        "rotary_pairs",
        N_("Rotary pairs"),
        N_(
            "Which dimensions turn together: neighbours, or each with the one half of the width "
            "further on."
        ),
        offered=CHOICES["rotary_pairs"],
        words={"neighbours": N_("neighbours"), "halves": N_("halves")},
    ),
    Knob(
        "n_buckets",
        N_("Buckets of distances"),
        N_("Relative positions learn a number for each bucket of distances and each head."),
        (4, 256),
        4,
    ),
    Knob(
        "max_distance",
        N_("Largest distance"),
        N_("From this distance on, all are in the last bucket."),
        (1, 4096),
        16,
    ),
    Knob(
        "embedding_scale",
        N_("Embeddings × √d_model"),
        N_("Token vectors are multiplied by √d_model before positions are added, as in the paper."),
    ),
    Knob(
        "embedding_norm",
        N_("Norm of the embeddings"),
        N_("A norm stands before the first layer, as in BERT."),
    ),
)
