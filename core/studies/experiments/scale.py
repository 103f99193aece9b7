"""Why are scores divided by √d_k?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant
from .measures import EVENNESS

SCALE = Experiment(
    name="scale",
    question=N_("Why are scores divided by √d_k?"),
    claim=N_(
        "Without it the softmax saturates, gradients vanish, and training needs more steps or "
        "fails."
    ),
    source="Vaswani et al. 2017, section 3.2.1",
    variants=(
        Variant(BASE, N_("divided by √d_k")),
        Variant("none", N_("not divided"), {"score_scale": "none"}, Expected.LESS),
        Variant("one", N_("one head of the whole width, divided"), {"n_heads": 1}),
        Variant(
            "wide",
            N_("one head of the whole width, not divided"),
            {"score_scale": "none", "n_heads": 1},
            Expected.LESS,
            against="one",
        ),
    ),
    measures=(EVENNESS,),
    judges=N_("how many sentences are right; gradients are not measured"),
)
