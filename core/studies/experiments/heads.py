"""Are several heads better than one of the same total width?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant

HEADS = Experiment(
    name="heads",
    question=N_("Are several heads better than one of the same total width?"),
    claim=N_(
        "One head does worse than several, since a word can then look in one way only. Too many "
        "heads do worse, too, since each of them is too narrow."
    ),
    source="Vaswani et al. 2017, section 3.2.2 and Table 3 A",
    variants=(
        Variant("one", N_("1 head"), {"n_heads": 1}, Expected.LESS),
        Variant("two", N_("2 heads"), {"n_heads": 2}),
        Variant(BASE, N_("4 heads")),
        Variant("eight", N_("8 heads"), {"n_heads": 8}),
        Variant("sixteen", N_("16 heads"), {"n_heads": 16}, Expected.LESS),
    ),
)
