"""Does attention mix words better than a convolution or an average?"""

from ...messages import N_
from .experiment import BASE, NEEDS_NO_MIXING, Expected, Experiment, Variant

MIXING = Experiment(
    name="mixing",
    question=N_("Does an encoder need attention, or will any mixing of its words do?"),
    claim=N_(
        "Attention mixes with weights that depend on what is said. A convolution sees neighbours "
        "alone; an average, which attention becomes where all queries or keys are 0, gives every "
        "word the weight 1/n; without mixing each word stays alone: all of them do worse."
    ),
    source="Vaswani et al. 2017, section 4; Gehring et al. 2017 (convolution)",
    variants=(
        Variant(BASE, N_("attention")),
        Variant(
            "convolution",
            N_("convolution of width 3"),
            {"encoder_mixing": "convolution"},
            Expected.LESS,
        ),
        Variant(
            "average", N_("average of all words"), {"encoder_mixing": "average"}, Expected.LESS
        ),
        Variant("none", N_("no mixing"), {"encoder_mixing": "none"}, Expected.LESS),
    ),
    untested=NEEDS_NO_MIXING,
)
