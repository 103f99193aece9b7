"""What stands around attention: positions, embeddings, residuals, norms, and the memory."""

from ...messages import N_
from ...tasks.symbols import Defining
from .experiment import BASE, DEFINING, REVERSING, Expected, Experiment, Variant

ORDER = Experiment(
    name="order",
    question=N_("Does a Transformer need to be told the order of its words?"),
    claim=N_(
        "Without positions, an encoder is blind to the order of its words, for attention by itself "
        "sees a set. How positions are encoded matters less than that they are encoded."
    ),
    source="Vaswani et al. 2017, sections 3.5 and 6.2 (Table 3 E); Su et al. 2021 (RoPE)",
    variants=(
        Variant(BASE, N_("sinusoids added")),
        Variant("none", N_("no positions"), {"positions": "none"}, Expected.LESS),
        Variant("learned", N_("learned table"), {"positions": "learned"}, Expected.AS_GOOD),
        Variant("rotary", N_("rotary"), {"positions": "rotary"}, Expected.AS_GOOD),
        Variant("relative", N_("relative buckets"), {"positions": "buckets"}, Expected.AS_GOOD),
    ),
)

EMBEDDING = Experiment(
    name="embedding",
    question=N_("Why are embeddings multiplied by √d_model?"),
    claim=N_(
        "Embeddings are drawn small, and positions are added to them. Without the factor √d_model, "
        "which makes them as large as what is added, a model does worse: positions drown them."
    ),
    source="Vaswani et al. 2017, section 3.4",
    variants=(
        Variant(BASE, N_("times √d_model")),
        Variant("as_drawn", N_("as drawn"), {"embedding_scale": False}, Expected.LESS),
        Variant("alone", N_("times √d_model, no positions"), {"positions": "none"}),
        Variant(
            "as_drawn_alone",
            N_("as drawn, no positions"),
            {"embedding_scale": False, "positions": "none"},
            Expected.AS_GOOD,
            against="alone",
        ),
    ),
    caution=N_(
        "If only the positions drowned the embeddings, the factor would make no difference without "
        "them."
    ),
)

RESIDUALS = Experiment(
    name="residuals",
    question=N_("Which part of a layer can be left out: residual, norm or feed-forward?"),
    claim=N_(
        "Residual connections carry the gradient through the layers, norms keep vectors within "
        "bounds, and attention alone is linear in its values: each is needed."
    ),
    source="He et al. 2016; Ba et al. 2016; Dong et al. 2021",
    judges=N_("whether a layer does worse without each of them, not why"),
    caution=N_(
        "Without feed-forward layers nearly half of the parameters are gone; heads of more than "
        "twice the width have as many again."
    ),
    variants=(
        Variant(BASE, N_("full layer")),
        Variant("no_residual", N_("no residual"), {"residual": False}, Expected.LESS),
        Variant("no_norm", N_("no norm"), {"norm_kind": "none"}, Expected.LESS),
        Variant("no_feed_forward", N_("no feed-forward"), {"feed_forward": False}),
        Variant(
            "attention_only",
            N_("no feed-forward, as many parameters"),
            {"feed_forward": False, "d_k": 56, "d_v": 56},
            Expected.LESS,
        ),
    ),
)

_FOUR = {"n_encoder_layers": 4, "n_decoder_layers": 4}
_EIGHT = {"n_encoder_layers": 8, "n_decoder_layers": 8}
_WITHOUT = {"residual": False}
DEPTH = Experiment(
    name="depth",
    question=N_("What do residual connections do in a deep stack?"),
    claim=N_(
        "Without residual connections the gradient vanishes on its way back through the layers, "
        "and a stack does not learn. With them, a deep stack does as well as a shallow one, or "
        "better."
    ),
    source="He et al. 2016; Dong et al. 2021 (“Attention is not all you need”)",
    variants=(
        Variant(BASE, N_("2 layers")),
        Variant("four", N_("4 layers"), _FOUR, Expected.AS_GOOD),
        Variant("eight", N_("8 layers"), _EIGHT, Expected.AS_GOOD),
        Variant("two_without", N_("2 layers, no residual"), _WITHOUT, Expected.LESS),
        Variant("four_without", N_("4 layers, no residual"), {**_FOUR, **_WITHOUT}, Expected.LESS),
        Variant(
            "eight_without", N_("8 layers, no residual"), {**_EIGHT, **_WITHOUT}, Expected.LESS
        ),
    ),
    task="copy",
    settings={**REVERSING, "steps": 1000, "warmup": 100, "cooldown": 900, "evaluate_every": 200},
    by_layer=True,
    vanishing=("two_without", "four_without", "eight_without"),
    caution=N_(
        "Correct rows tell whether a stack learns; how much of the gradient comes back to each "
        "layer is shown in “learning”, “by layer”. "
        "All are trained for the same number of steps; a deeper stack has more parameters."
    ),
)

NORMS = Experiment(
    name="norms",
    question=N_("Which norm, and before or after the sublayer?"),
    claim=N_(
        "RMSNorm does as well as LayerNorm; BatchNorm, or no norm, does worse. It makes no "
        "difference whether the norm stands before or after the sublayer if the learning rate "
        "warms up; otherwise the model learns only with the norm before it."
    ),
    source="Ba et al. 2016; Zhang & Sennrich 2019 (RMSNorm); Shen et al. 2020 (BatchNorm); "
    "Xiong et al. 2020 (pre-norm)",
    caution=N_(
        "BatchNorm is measured with its running means of training, so no sentence depends on the "
        "others of its batch; in training it does (see the lesson “norm”)."
    ),
    variants=(
        Variant(BASE, N_("LayerNorm before")),
        Variant("rms", N_("RMSNorm before"), {"norm_kind": "rms"}, Expected.AS_GOOD),
        Variant("batch", N_("BatchNorm before"), {"norm_kind": "batch"}, Expected.LESS),
        Variant("none", N_("no norm"), {"norm_kind": "none"}, Expected.LESS),
        Variant("post", N_("LayerNorm after"), {"norm": "post"}, Expected.AS_GOOD),
        # At the peak from the first step on: the highest rate is that of the others.
        Variant(
            "at_once",
            N_("LayerNorm before, no warm-up"),
            {"warmup_rises": False},
            Expected.AS_GOOD,
        ),
        Variant(
            "post_at_once",
            N_("LayerNorm after, no warm-up"),
            {"norm": "post", "warmup_rises": False},
            Expected.LESS,
            against="at_once",
        ),
    ),
)

MEMORY = Experiment(
    name="memory",
    question=N_("Must a decoder read the encoder’s last layer?"),
    claim=N_(
        "All decoder layers look at the last encoder layer. Others do as well: the first, that of "
        "the same depth, or a learned mixture of all."
    ),
    source="Vaswani et al. 2017, section 3.2.3; He et al. 2018 (layer-wise coordination)",
    variants=(
        Variant(BASE, N_("the last layer")),
        Variant("first", N_("the first layer"), {"memory": "first"}, Expected.AS_GOOD),
        Variant("same", N_("the layer of the same depth"), {"memory": "same"}, Expected.AS_GOOD),
        Variant("mixed", N_("a learned mixture"), {"memory": "mixed"}, Expected.AS_GOOD),
        Variant("none", N_("no mixing (control)"), {"encoder_mixing": "none"}),
    ),
    task=Defining.name,
    settings=DEFINING,
    caution=N_(
        "A letter finds its definition in two steps, so in two layers: what it stands for learns "
        "which letter is before it, and the letter looks for itself there."
    ),
)
