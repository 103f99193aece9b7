"""Does attention need a softmax, and dot products?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant

LINEAR = Experiment(
    name="linear",
    question=N_("Does attention need its softmax, and dot products?"),
    claim=N_(
        "The cost of a softmax over all pairs of words grows with the square of the length. Linear "
        "attention does without, and loses some quality. A small network that compares queries "
        "with keys does as well as a dot product."
    ),
    source="Katharopoulos et al. 2020 (linear); Bahdanau et al. 2015 (additive); "
    "Vaswani et al. 2017, section 3.2.1",
    judges=N_("quality alone; neither cost nor speed is measured"),
    variants=(
        Variant(BASE, N_("softmax of dot products")),
        Variant("linear", N_("linear attention"), {"scores": "linear"}, Expected.LESS),
        Variant(
            "additive", N_("softmax of a small network"), {"scores": "additive"}, Expected.AS_GOOD
        ),
    ),
)
