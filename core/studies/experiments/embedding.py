"""Why are embeddings multiplied by √d_model?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant

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
