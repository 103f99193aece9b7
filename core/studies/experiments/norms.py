"""Which norm, and where?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant

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
