"""Must a reader know what comes later?"""

from ...messages import N_
from ...tasks.symbols import Defining
from .experiment import BASE, DEFINING, Expected, Experiment, Variant
from .measures import STATES_BEFORE

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
