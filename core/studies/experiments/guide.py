"""Does a monotonic guide save steps?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant
from .measures import STEPS_TO_LEARN

GUIDE = Experiment(
    name="guide",
    question=N_("Does a head that is told where to look save training steps?"),
    claim=N_(
        "Where it is known which word comes from which, cross-attention need not find it out: a "
        "head that is guided along the letters to be copied learns the task in fewer steps."
    ),
    source="Chen et al. 2016 (guided alignment); Tachibana et al. 2018 (guided attention)",
    variants=(
        Variant(BASE, N_("no guide")),
        Variant(
            "last",
            N_("a head of the last layer guided"),
            {"guide": "decoder.1.cross:0", "guide_to": "alignment"},
            Expected.LESS,
        ),
        Variant(
            "first",
            N_("a head of the first layer guided"),
            {"guide": "decoder.0.cross:0", "guide_to": "alignment"},
            Expected.LESS,
        ),
    ),
    task="copy",
    settings={
        **{"n_encoder_layers": 2, "n_decoder_layers": 2, "d_model": 64, "d_ff": 256, "n_heads": 4},
        **{"steps": 900, "warmup": 250, "cooldown": 600, "learning_rate_factor": 1.2},
        # Letters have no more pieces.
        **{"vocab_size": 285, "batch_size": 64, "evaluate_every": 25, "checkpoint_every": 450},
        **{"guide_weight": 1.0},
    },
    measures=(STEPS_TO_LEARN,),
    judged_by=STEPS_TO_LEARN.name,
    caution=N_(
        "Counted are the steps up to the first of three measurements in a row of 95 % or more."
    ),
)
