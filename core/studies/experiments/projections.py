"""Does attention need a matrix each for queries, keys and values?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant

PROJECTIONS = Experiment(
    name="projections",
    question=N_("Does attention need a matrix each for queries, keys and values?"),
    claim=N_(
        "The three projections give attention its capacity. That three are right nobody has "
        "derived: two may do, one should not."
    ),
    source="Vaswani et al. 2017, section 3.2.2; Kitaev et al. 2020 (shared queries and keys)",
    variants=(
        Variant(BASE, N_("three matrices")),
        Variant("qk", N_("queries = keys"), {"shared": "qk"}, Expected.AS_GOOD),
        Variant("kv", N_("keys = values"), {"shared": "kv"}, Expected.AS_GOOD),
        Variant("qkv", N_("one matrix for all"), {"shared": "qkv"}, Expected.LESS),
        Variant("none", N_("no matrix, the input itself"), {"projections": False}, Expected.LESS),
        Variant("no_output", N_("three matrices, no W^O"), {"output_projection": False}),
    ),
)
