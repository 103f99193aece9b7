"""Which encoder layer should a decoder read?"""

from ...messages import N_
from ...tasks.symbols import Defining
from .experiment import BASE, DEFINING, Expected, Experiment, Variant

MEMORY = Experiment(
    name="memory",
    question=N_("Must a decoder read the encoder’s last layer?"),
    claim=N_(
        "All decoder layers look at the last encoder layer. Others do as well: the first, that of "
        "the same depth, or a learned mixture of all."
    ),
    source="Vaswani et al. 2017, section 3.2.3; He et al. 2018 (layer-wise coordination)",
    variants=(
        Variant(BASE, N_("the last layer")),
        Variant("first", N_("the first layer"), {"memory": "first"}, Expected.AS_GOOD),
        Variant("same", N_("the layer of the same depth"), {"memory": "same"}, Expected.AS_GOOD),
        Variant("mixed", N_("a learned mixture"), {"memory": "mixed"}, Expected.AS_GOOD),
        Variant("none", N_("no mixing (control)"), {"encoder_mixing": "none"}),
    ),
    task=Defining.name,
    settings=DEFINING,
    caution=N_(
        "A letter finds its definition in two steps, so in two layers: what it stands for learns "
        "which letter is before it, and the letter looks for itself there."
    ),
)
