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
    ),
    judges=N_("whether it does worse, not why"),
    caution=N_(
        "That positions drown the embeddings is not shown: for that, the same embeddings without "
        "positions would have to be trained, too."
    ),
)
