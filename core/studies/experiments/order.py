"""Does a Transformer need to be told the order of its words?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant

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
