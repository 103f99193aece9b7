"""Terms of its use: training, decoding, and finding out what it does."""

from pages.frame.glossary.term import Term
from pages.frame.language import N_

TERMS = (
    Term(
        "attribution",
        N_("attribution"),
        N_(
            "How much each source token contributes to an output, measured by gradients or by "
            "leaving the token out. Methods can disagree, so several are compared."
        ),
        "heads",
        {"trial": "attribution"},
    ),
    Term(
        "baseline",
        N_("baseline|baselines"),
        N_(
            "What a rule without any model reaches, for example “the nearest noun”. A head has "
            "this role only where it does better."
        ),
        "heads",
        {"trial": "scores"},
    ),
    Term(
        "beam",
        N_("beam search|beam"),
        N_(
            "Decoding that keeps the best few prefixes side by side instead of one. It "
            "usually finds more probable sentences than taking the best token each time."
        ),
        "decoding",
        {"decoding": "tree"},
    ),
    Term(
        "bleu",
        N_("BLEU"),
        N_(
            "A score from 0 to 100 for translations: how many groups of one to four words are "
            "also in the reference, with a penalty for short ones. For Chinese, Japanese, "
            "Korean and Thai it counts characters. It compares systems, not sentences."
        ),
        "runs",
    ),
    Term(
        "bpe",
        N_("BPE|byte pair encoding"),
        N_(
            "A way to cut words into pieces: it begins with single characters or bytes, and joins"
            " the most frequent pair again and again. Frequent words end as one piece, rare ones "
            "as several."
        ),
        "experiments",
        {"experiment": "vocabulary"},
    ),
    Term(
        "checkpoint",
        N_("checkpoint|checkpoints|snapshot|snapshots"),
        N_(
            "The weights of the model at one step of its training, kept in a file. Training goes "
            "on from a checkpoint; a snapshot is rounded, for looking back only."
        ),
        "training",
        {"training": "look_back"},
    ),
    Term(
        "chrf",
        N_("chrF|chrF2"),
        N_(
            "A score from 0 to 100 for translations that compares groups of characters instead "
            "of words. A right stem with a wrong ending still counts in part."
        ),
        "runs",
    ),
    Term(
        "cosine",
        N_("cosine|cosine similarity"),
        N_(
            "How far two vectors point the same way, whatever their lengths: 1 for the same "
            "direction, 0 for a right angle, −1 for opposite ones."
        ),
        "positions",
        {"positions": "learned"},
    ),
    Term(
        "dropout",
        N_("dropout"),
        N_(
            "Setting a random share of the activations to zero during training. The model learns "
            "not to depend on any single one; when it is used, nothing is dropped."
        ),
        "training",
        {"training": "set_up"},
    ),
    Term(
        "entropy",
        N_("entropy"),
        N_(
            "How spread out a distribution is: 0 where one key gets all the weight, largest "
            "where all get the same. It is measured in bits or in nats (1 nat is 1.44 bits)."
        ),
        "training",
        {"training": "forming"},
    ),
    Term(
        "exact-match",
        N_("exact match"),
        N_(
            "The share of held-out sentences whose translation equals the reference in every "
            "token. It is a strict measure: one wrong word counts as wrong."
        ),
        "runs",
    ),
    Term(
        "exposure-bias",
        N_("exposure bias"),
        N_(
            "In training the decoder is fed true words, when it is used its own. An early "
            "mistake is then fed back, and may lead to more."
        ),
        "decoding",
        {"decoding": "exposure"},
    ),
    Term(
        "free-running",
        N_("free running|autoregressive|greedy"),
        N_(
            "Decoding in which the model is fed its own words. Greedy decoding takes the most "
            "probable token at each step."
        ),
        "decoding",
    ),
    Term(
        "guided",
        N_("guided"),
        N_(
            "A guided head was asked in training, by an additional loss, to look from a pronoun "
            "at its antecedent. All other heads learn what they like."
        ),
        "attention",
        {"view": "compare", "other": "models", "model": "translate-guided"},
    ),
    Term(
        "held-out",
        N_("held-out"),
        N_(
            "Sentences that were never used in training. Only on them can be measured what the "
            "model has learned, not what it has memorised."
        ),
        "runs",
    ),
    Term(
        "interval",
        N_("confidence interval|interval|95 %"),
        N_(
            "The range in which the true value lies in 95 of 100 such measurements. Where it "
            "contains 0, the change may be chance."
        ),
        "heads",
        {"trial": "silence"},
    ),
    Term(
        "jacobian",
        N_("Jacobian|norm of the Jacobian"),
        N_(
            "The table of how much each output moves when an input moves a little. Its norm, the "
            "root of the sum of all squares, says how much gradient can come through."
        ),
        "scaling",
        {"scaling": "jacobian"},
    ),
    Term(
        "kl",
        N_("KL divergence|divergence|KL"),
        N_(
            "How far one distribution is from another: 0 where they are equal, in nats. KL(P ‖ "
            "Q) is the mean of log P/Q under P, and not symmetric."
        ),
        "decoding",
    ),
    Term(
        "label-smoothing",
        N_("label smoothing"),
        N_(
            "A small part of the target probability is spread evenly over all tokens. The model "
            "becomes less sure of itself and often translates better."
        ),
        "training",
        {"training": "set_up"},
    ),
    Term(
        "learning-rate",
        N_("learning rate|warm-up|cooldown"),
        N_(
            "How far the weights move at each step. It rises during the warm-up, then falls with "
            "the square root of the step, and in the cooldown to zero."
        ),
        "training",
        {"training": "look_back"},
    ),
    Term(
        "lens",
        N_("logit lens"),
        N_(
            "The output layer applied to the vectors inside the model, as if the layers ended "
            "there. It shows after which layer the next word can be read off."
        ),
        "layers",
        {"layers": "lens"},
    ),
    Term(
        "likeness",
        N_("likeness"),
        N_(
            "1 less the mean Jensen–Shannon distance of the rows of two heads: 1 where they "
            "always have the same weights, 0 where they never look at the same key."
        ),
        "heads",
        {"trial": "alike"},
    ),
    Term(
        "length-penalty",
        N_("length penalty"),
        N_(
            "What the log-probability of a prefix is divided by in a beam search, so that long "
            "sentences are not at a disadvantage. 0 divides by nothing."
        ),
        "decoding",
        {"decoding": "tree"},
    ),
    Term(
        "loss",
        N_("cross-entropy|loss"),
        N_(
            "Minus the logarithm of the probability of the true token, averaged over all tokens. "
            "0 would be certainty; training makes it smaller."
        ),
        "training",
    ),
    Term(
        "nats",
        N_("nats|nat"),
        N_(
            "The unit of information with the natural logarithm: a loss of 1 nat is a "
            "probability of 37 %. 1 nat is 1.44 bits."
        ),
        "training",
    ),
    Term(
        "override",
        N_("override|overridden"),
        N_(
            "A row of weights is set by hand and the model is run on. If the output changes, the "
            "model uses what the map shows."
        ),
        "heads",
        {"trial": "override"},
    ),
    Term(
        "patching",
        N_("patching"),
        N_(
            "The output of a head in one sentence is put into another. Where the answer moves "
            "along, this head carries what differs."
        ),
        "heads",
        {"trial": "patch"},
    ),
    Term(
        "path-patching",
        N_("path patching"),
        N_(
            "Patching along one path: a single later head is given what a head writes in another "
            "sentence. What changes shows which head reads what which head wrote."
        ),
        "heads",
        {"trial": "paths"},
    ),
    Term(
        "scheduled-sampling",
        N_("scheduled sampling"),
        N_(
            "Training in which some of the true words that are fed to the decoder are replaced by"
            " its own. Their share grows while it learns."
        ),
        "experiments",
        {"experiment": "forcing"},
    ),
    Term(
        "seed",
        N_("seed|seeds"),
        N_(
            "The number from which all random choices follow. The same seed on the same machine "
            "makes the same run again."
        ),
        "training",
        {"training": "set_up"},
    ),
    Term(
        "silenced",
        N_("silenced|silencing|silence"),
        N_(
            "A silenced head adds nothing. If the result stays, the model can do without it, or "
            "another head has taken over: silencing is a test, not the only one."
        ),
        "heads",
        {"trial": "silence"},
    ),
    Term(
        "teacher-forcing",
        N_("teacher forcing"),
        N_(
            "The decoder is fed the true words, whatever it would have written. All positions "
            "are computed in one pass, which makes training fast."
        ),
        "decoding",
    ),
    Term(
        "vocabulary",
        N_("vocabulary|vocabularies"),
        N_(
            "All tokens that the model knows, each with a number. The output layer gives a score "
            "to each of them."
        ),
        "experiments",
        {"experiment": "vocabulary"},
    ),
)
