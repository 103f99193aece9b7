"""Does it pay to optimise the metric itself?"""

from ...messages import N_
from .experiment import BASE, TRANSLATING, Expected, Experiment, Variant
from .measures import BLEU

_HALF = "half"
METRIC = Experiment(
    name="metric",
    question=N_("Does it pay to optimise the metric itself?"),
    claim=N_(
        "Cross-entropy judges one word, BLEU the whole sentence. For good BLEU, one should "
        "optimise BLEU: it has no gradient, but the mean over sampled sentences has."
    ),
    source="Ranzato et al. 2016; Shen et al. 2016; Rennie et al. 2017; Choshen et al. 2020",
    variants=(
        Variant(BASE, N_("more cross-entropy"), start=_HALF),
        Variant(
            _HALF,
            N_("the start, half trained"),
            {
                **{"steps": 500, "batch_size": 64, "evaluate_every": 250, "checkpoint_every": 500},
                **{"warmup": 200, "learning_rate_factor": 1.0},
            },
        ),
        Variant(
            "minimum_risk",
            N_("BLEU by minimum risk"),
            {"objective": "minimum_risk"},
            Expected.MORE,
            _HALF,
        ),
        Variant(
            "self_critical",
            N_("BLEU, self-critical"),
            {"objective": "self_critical"},
            Expected.MORE,
            _HALF,
        ),
        Variant(
            "constant",
            N_("constant reward (control)"),
            {"objective": "reinforce", "reward": "constant"},
            start=_HALF,
        ),
    ),
    settings={
        **TRANSLATING,
        **{"steps": 160, "batch_size": 16, "evaluate_every": 40, "checkpoint_every": 160},
        # The rate rises to 1e-4 and falls with the square root of the step.
        **{"warmup": 20, "cooldown": 0, "learning_rate_factor": 0.0044},
        **{"reward": "bleu", "samples": 8, "alpha": 0.05},
    },
    measures=(BLEU,),
    judged_by=BLEU.name,
    by_loss=False,
    caution=N_(
        "Common practice does not optimise the expected reward, and gains may come from a more "
        "peaked distribution alone (Choshen et al. 2020): so a constant reward stands beside. All "
        "variants take equally many updates, from the same sources; an update that samples takes "
        "more than ten times as long as one of cross-entropy."
    ),
)
