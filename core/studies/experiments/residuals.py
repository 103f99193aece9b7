"""Which parts of a layer can be left out?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant

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
