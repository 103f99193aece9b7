"""Can one vector hold a sentence?"""

from ...messages import N_
from .experiment import BASE, REVERSING, Expected, Experiment, Variant

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
