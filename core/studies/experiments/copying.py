"""Can a model write a name that it has never seen?"""

from ...messages import N_
from ...tasks.naming import Naming
from .experiment import BASE, TRANSLATING, Expected, Experiment, Variant
from .measures import COPYING as HOW_NAMES_ARE_TREATED

COPYING = Experiment(
    name="copying",
    question=N_("Can a model write a name that it has never seen?"),
    claim=N_(
        "A softmax over whole words can write no word but those it has learned. A pointer "
        "copies a word of the source, whatever it is: so it can write a name that it never saw, "
        "most surely if all names share one vector, so that none is learned by heart."
    ),
    source="Vinyals et al. 2015; Gu et al. 2016; See et al. 2017",
    variants=(
        Variant(BASE, N_("pointer, names share a vector"), shipped="copying"),
        Variant(
            "pointer",
            N_("pointer, a vector for each name"),
            {"shared_names": 0},
            Expected.LESS,
        ),
        Variant(
            "plain_shared",
            N_("no pointer, names share a vector"),
            {"pointer": False},
            Expected.LESS,
        ),
        Variant(
            "plain",
            N_("no pointer, a vector for each name"),
            {"pointer": False, "shared_names": 0},
            Expected.LESS,
        ),
    ),
    task=Naming.name,
    settings={
        **TRANSLATING,
        **{"d_model": 64, "d_ff": 256, "pointer": True},
        **{"vocab_size": Naming.vocabulary.n_tokens, "shared_names": Naming.vocabulary.n_names},
        **{"steps": 700, "cooldown": 500},
        **{"evaluate_every": 100, "checkpoint_every": 350},
    },
    measures=HOW_NAMES_ARE_TREATED,
    caution=N_(
        "Every held-out sentence has a name that no training saw. Without a pointer there is no "
        "way to write it: 0 % is what must come out."
    ),
)
