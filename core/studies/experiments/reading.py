"""Must a reader know what comes later?"""

from ...messages import N_
from .experiment import (
    BASE,
    NEEDS_NO_MIXING,
    TRANSLATING,
    Expected,
    Experiment,
    Variant,
)
from .measures import PRONOUNS, STATES_AT_IT

READING = Experiment(
    name="reading",
    question=N_("Must a reader of a sentence know what comes later?"),
    claim=N_(
        "Who reads one way knows the past alone. “The animal didn’t cross the street because it "
        "was too tired” and “… too wide” are the same up to “it”, and so is that reader’s state "
        "there: it cannot tell what “it” stands for, and translates such pronouns worse."
    ),
    source="Schuster & Paliwal 1997; Bahdanau et al. 2015",
    variants=(
        Variant(BASE, N_("bidirectional GRU")),
        Variant("one_way", N_("one-directional GRU"), {"encoder_mixing": "gru"}, Expected.LESS),
        Variant("attention", N_("attention"), {"encoder_mixing": "attention"}),
    ),
    # Pronouns are what is learned last.
    settings={
        **TRANSLATING,
        **{"encoder_mixing": "gru_two_way", "steps": 2400, "cooldown": 2000},
        **{"evaluate_every": 400, "checkpoint_every": 1200},
    },
    measures=(PRONOUNS, STATES_AT_IT),
    judged_by=PRONOUNS.name,
    untested=NEEDS_NO_MIXING,
)
