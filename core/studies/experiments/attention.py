"""What attention needs: heads, projections, the scale, a softmax, or attention at all."""

from ...messages import N_
from ...tasks.symbols import Defining
from .experiment import BASE, DEFINING, Expected, Experiment, Variant
from .measures import EVENNESS

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
