"""What do residual connections do in a deep stack?"""

from ...messages import N_
from .experiment import BASE, REVERSING, Expected, Experiment, Variant

_FOUR = {"n_encoder_layers": 4, "n_decoder_layers": 4}
_EIGHT = {"n_encoder_layers": 8, "n_decoder_layers": 8}
_WITHOUT = {"residual": False}
DEPTH = Experiment(
    name="depth",
    question=N_("What do residual connections do in a deep stack?"),
    claim=N_(
        "Without residual connections the gradient vanishes on its way back through the layers, "
        "and a stack does not learn. With them, a deep stack does as well as a shallow one, or "
        "better."
    ),
    source="He et al. 2016; Dong et al. 2021 (“Attention is not all you need”)",
    variants=(
        Variant(BASE, N_("2 layers")),
        Variant("four", N_("4 layers"), _FOUR, Expected.AS_GOOD),
        Variant("eight", N_("8 layers"), _EIGHT, Expected.AS_GOOD),
        Variant("two_without", N_("2 layers, no residual"), _WITHOUT, Expected.LESS),
        Variant("four_without", N_("4 layers, no residual"), {**_FOUR, **_WITHOUT}, Expected.LESS),
        Variant(
            "eight_without", N_("8 layers, no residual"), {**_EIGHT, **_WITHOUT}, Expected.LESS
        ),
    ),
    task="copy",
    settings={**REVERSING, "steps": 1000, "warmup": 100, "cooldown": 900, "evaluate_every": 200},
    by_layer=True,
    vanishing=("two_without", "four_without", "eight_without"),
    caution=N_(
        "Correct rows tell whether a stack learns; how much of the gradient comes back to each "
        "layer is shown in “learning”, “by layer”. "
        "All are trained for the same number of steps; a deeper stack has more parameters."
    ),
)
