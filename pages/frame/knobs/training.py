"""What can be varied of a training beside what the paper has."""

from core.train_config import TRAINING_CHOICES
from pages.frame.knobs.knob import Knob
from pages.frame.language import N_

TRAINING = (
    Knob(
        "teacher_forcing",
        N_("Teacher forcing"),
        N_(
            "The decoder is fed the true words. Off: its own words from the first step on (free "
            "running), which takes longer."
        ),
    ),
    Knob(
        "objective",
        N_("Objective"),
        N_(
            "What is made small: the cross-entropy of each word, or minus the reward of whole "
            "sentences that the model samples. All but the first begin with a trained run."
        ),
        offered=TRAINING_CHOICES["objective"],
        words={
            "cross_entropy": N_("cross-entropy"),
            "minimum_risk": N_("minimum risk"),
            "self_critical": N_("self-critical"),
            "reinforce": "REINFORCE",
        },
    ),
    Knob(
        "reward",
        N_("Reward"),
        N_(
            "Of a sampled sentence: its BLEU, whether it is exactly right, or 1 for any, which is "
            "the control that Choshen et al. (2020) ask for."
        ),
        offered=TRAINING_CHOICES["reward"],
        words={"bleu": "BLEU", "exact": N_("exact match"), "constant": N_("always 1")},
    ),
    Knob(
        "samples",
        N_("Samples"),
        N_("Sentences that are sampled for each source, where rewards are made large."),
        (1, 64),
    ),
    Knob(
        "alpha",
        N_("Sharpness α"),
        N_("Of the distribution over the samples under minimum risk. Shen et al. (2016): 0.005."),
        (0.0001, 100),
        0.01,
    ),
    Knob(
        "cooldown",
        N_("Cooldown steps"),
        N_("Last steps, in which the learning rate falls evenly to 0. The paper: none."),
        (0, 10**6),
        50,
    ),
    Knob(
        "adam_eps",
        N_("ε of Adam"),
        N_("Added to what Adam divides by. The paper: 1e−9."),
        (1e-12, 1e-3),
        1e-9,
    ),
    Knob(
        "batch_tokens",
        N_("Tokens in a batch"),
        N_(
            "Batches of own pairs hold so many tokens at most, in place of so many pairs. Empty: "
            "pairs are counted."
        ),
        (0, 65_536),
        256,
    ),
    Knob(
        "evaluate_every",
        N_("Steps between measurements"),
        N_("So often held-out sentences are measured."),
        (10, 10**6),
        50,
    ),
    Knob(
        "checkpoint_every",
        N_("Steps between checkpoints"),
        N_("So often the training is kept, so that it can go on from there."),
        (10, 10**6),
        50,
    ),
    Knob(
        "keep_checkpoints",
        N_("Checkpoints kept"),
        N_("The weights of so many stay, so that their mean can be taken."),
        (1, 20),
    ),
)
