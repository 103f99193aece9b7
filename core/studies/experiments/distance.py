"""Does the influence of a word fade with distance?"""

from ...messages import N_
from ...tasks.symbols import Defining
from .experiment import BASE, DEFINING, Experiment, Variant

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
        Variant("gru_two_way", N_("bidirectional GRU"), {"encoder_mixing": "gru_two_way"}),
        Variant("convolution", N_("convolution of width 3"), {"encoder_mixing": "convolution"}),
    ),
    task=Defining.name,
    settings=DEFINING,
    caution=N_(
        "How far a word reaches is measured by gradients. Letters are defined up to 12 letters "
        "later: a model whose words do not reach that far cannot write what they stand for, and a "
        "recurrent unit can learn to keep them that long."
    ),
    by_distance=True,
)
