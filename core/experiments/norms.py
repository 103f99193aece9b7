"""Which norm, and where?"""

from core.experiments.experiment import BASE, Expected, Experiment, Variant
from core.messages import N_

NORMS = Experiment(
    name="norms",
    question=N_("Which norm, and before or after the sublayer?"),
    claim=N_(
        "Dividing by the root mean square is enough, and with a warm-up the norm may stand before "
        "the sublayer or after it, as in the paper."
    ),
    source="Ba et al. 2016; Zhang & Sennrich 2019 (RMSNorm); Xiong et al. 2020 (pre-norm)",
    variants=(
        Variant(BASE, N_("LayerNorm before")),
        Variant("rms", N_("RMSNorm before"), {"norm_kind": "rms"}, Expected.AS_GOOD),
        Variant("post", N_("LayerNorm after"), {"norm": "post"}, Expected.AS_GOOD),
    ),
)
