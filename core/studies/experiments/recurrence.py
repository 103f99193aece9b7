"""What recurrent networks lack: a memory of every word, what comes later, and far words."""

from ...messages import N_
from ...tasks.symbols import Defining
from .experiment import BASE, DEFINING, REVERSING, Expected, Experiment, Variant
from .measures import STATES_BEFORE

_RECURRENT = {"decoder_mixing": "gru", "positions": "none"}
BOTTLENECK = Experiment(
    name="bottleneck",
    question=N_("Can one vector hold a sentence?"),
    claim=N_(
        "Without attention, all that a recurrent decoder knows of the source is one vector: the "
        "longer the sentence, the more is lost. With attention to every word, length hardly "
        "matters up to the longest of training: here rows of 4 to 16 letters, to be reversed."
    ),
    source="Cho et al. 2014; Sutskever et al. 2014; Bahdanau et al. 2015; Luong et al. 2015",
    variants=(
        Variant(BASE, N_("Transformer")),
        Variant(
            "fixed",
            N_("GRU, one vector"),
            {**_RECURRENT, "encoder_mixing": "gru", "cross": "none"},
            Expected.LESS,
        ),
        Variant(
            "fixed_lstm",
            N_("LSTM, one vector"),
            {
                **{"encoder_mixing": "lstm", "decoder_mixing": "lstm", "positions": "none"},
                "cross": "none",
            },
            Expected.LESS,
        ),
        Variant(
            "fixed_wide",
            N_("GRU, one vector three times as wide"),
            {**_RECURRENT, "encoder_mixing": "gru", "cross": "none", "d_model": 192},
            Expected.LESS,
        ),
        Variant(
            "attention",
            N_("GRU with attention"),
            {**_RECURRENT, "encoder_mixing": "gru", "n_heads": 1},
        ),
        Variant(
            "additive",
            N_("GRU with additive attention"),
            {**_RECURRENT, "encoder_mixing": "gru", "n_heads": 1, "scores": "additive"},
        ),
        Variant(
            "two_way",
            N_("bidirectional GRU with attention"),
            {**_RECURRENT, "encoder_mixing": "gru_two_way", "n_heads": 1},
        ),
    ),
    task="reverse",
    settings=REVERSING,
    beyond=(18, 20, 24, 28),
    caution=N_(
        "“GRU” is a block of the Transformer, with its norms, residual connections and "
        "feed-forward layer, in which a GRU stands in the place of self-attention. The one vector "
        "has 64 numbers, the wide one 192."
    ),
)

READING = Experiment(
    name="reading",
    question=N_("Must a reader of a sentence know what comes later?"),
    claim=N_(
        "A one-way reader knows the past alone. “The animal didn’t cross the street because it "
        "was too tired” and “… too wide” are the same up to “it”, and so is that reader’s state "
        "there: it cannot tell what “it” stands for. Here letters are defined later in the row."
    ),
    source="Schuster & Paliwal 1997; Bahdanau et al. 2015",
    variants=(
        Variant(BASE, N_("attention")),
        Variant("two_way", N_("bidirectional GRU"), {"encoder_mixing": "gru_two_way"}),
        Variant(
            "one_way",
            N_("one-directional GRU"),
            {"encoder_mixing": "gru"},
            Expected.LESS,
            against="two_way",
        ),
    ),
    task=Defining.name,
    settings=DEFINING,
    measures=(STATES_BEFORE,),
)

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
