"""Can all words be written at once?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant
from .passes import PASS_MEASURES

PARALLEL = Experiment(
    name="parallel",
    question=N_("Can all words be written at once?"),
    claim=N_(
        "A decoder without the look-ahead mask writes all words at once, and then again those that "
        "it doubts. With one right target (copy a row of letters) nothing is lost. With two (copy "
        "it, or reverse it) the first pass chooses each word without the others, and mixes the two."
    ),
    source=(
        "Gu et al. 2018 (non-autoregressive translation, “multimodality problem”); "
        "Ghazvininejad et al. 2019 (mask-predict)"
    ),
    variants=(
        Variant(BASE, N_("left to right, copy or reverse"), shipped="either"),
        Variant(
            "parallel",
            N_("parallel, copy or reverse"),
            {"decoder": "parallel"},
            Expected.LESS,
            shipped="parallel",
        ),
        Variant(
            "parallel_length",
            N_("parallel, length predicted, copy or reverse"),
            {"decoder": "parallel", "length": "predicted"},
            Expected.LESS,
        ),
        Variant("one", N_("left to right, copy only"), task="copy"),
        Variant(
            "parallel_one",
            N_("parallel, copy only"),
            {"decoder": "parallel"},
            Expected.AS_GOOD,
            task="copy",
            against="one",
        ),
    ),
    task="either",
    settings={
        **{"n_encoder_layers": 2, "n_decoder_layers": 2, "d_model": 64, "d_ff": 256, "n_heads": 4},
        **{"steps": 1500, "warmup": 250, "cooldown": 1200, "learning_rate_factor": 1.2},
        **{"batch_size": 64, "evaluate_every": 300, "checkpoint_every": 750},
    },
    measures=PASS_MEASURES,
    caution=N_(
        "Parallel variants take 4 passes unless something else is said. They learn to fill in "
        "masked words, so that their loss does not compare with that of the next word."
    ),
)
