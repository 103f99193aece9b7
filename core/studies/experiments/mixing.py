"""Does attention mix words better than a convolution or an average?"""

from ...messages import N_
from ...tasks.symbols import Defining
from .experiment import BASE, DEFINING, Expected, Experiment, Variant

MIXING = Experiment(
    name="mixing",
    question=N_("Does an encoder need attention, or will any mixing of its words do?"),
    claim=N_(
        "Attention mixes with weights that depend on the sentence. A convolution sees neighbours "
        "alone; fixed weights are the same for every sentence; an average, which attention becomes "
        "where all queries or keys are 0, gives every word the weight 1/n; without mixing each "
        "word stays alone: all of them do worse."
    ),
    source="Vaswani et al. 2017, section 4; Gehring et al. 2017 (convolution); "
    "Tay et al. 2021 (fixed weights)",
    variants=(
        Variant(BASE, N_("attention")),
        Variant(
            "convolution",
            N_("convolution of width 3"),
            {"encoder_mixing": "convolution"},
            Expected.LESS,
        ),
        Variant("fixed", N_("fixed weights, learned"), {"encoder_mixing": "fixed"}, Expected.LESS),
        Variant(
            "average", N_("average of all words"), {"encoder_mixing": "average"}, Expected.LESS
        ),
        Variant("none", N_("no mixing"), {"encoder_mixing": "none"}, Expected.LESS),
    ),
    task=Defining.name,
    settings=DEFINING,
)
