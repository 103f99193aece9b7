"""Does the influence of a word fade with distance?"""

from ...messages import N_
from .experiment import BASE, Experiment, Variant

DISTANCE = Experiment(
    name="distance",
    question=N_("Does the influence of a word fade with distance?"),
    claim=N_(
        "A recurrent unit passes what it has read from word to word, and at each step some of it "
        "is lost: the farther away a word, the smaller its gradient. Attention reaches every word "
        "in one step."
    ),
    source="Bengio et al. 1994; Vaswani et al. 2017, section 4",
    variants=(
        Variant(BASE, N_("attention")),
        Variant("gru", N_("one-directional GRU"), {"encoder_mixing": "gru"}),
        Variant("gru_two_way", N_("bidirectional GRU"), {"encoder_mixing": "gru_two_way"}),
        Variant("convolution", N_("convolution of width 3"), {"encoder_mixing": "convolution"}),
    ),
    caution=N_(
        "How far a word reaches is measured by gradients. Right sentences do not show it: these "
        "need no mixing in the encoder, since the decoder’s cross-attention sees every word of "
        "the source."
    ),
    by_distance=True,
)
