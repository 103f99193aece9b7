"""Terms of what goes beyond the paper's model and its training: pointers and rewards."""

from pages.frame.glossary.term import Term
from pages.frame.language import N_

TERMS = (
    Term(
        "constant-reward",
        N_("constant reward"),
        N_(
            "A control: every sampled sentence is rewarded alike, however good it is. What it "
            "gains cannot come from the reward."
        ),
        "experiments",
        {"experiment": "metric"},
    ),
    Term(
        "minimum-risk",
        N_("minimum risk"),
        N_(
            "Training that samples several sentences and makes those more probable that score "
            "better, here by BLEU. The mean score has a gradient, though the score has none."
        ),
        "experiments",
        {"experiment": "metric"},
    ),
    Term(
        "pointer",
        N_("pointer-generator|pointer|p_gen"),
        N_(
            "Lets a decoder copy a word from the source in place of generating it: p_gen says how "
            "much of the probability the vocabulary has, and attention which places of the source "
            "share the rest. So a name can be written that was never seen."
        ),
        "decoding",
        {"decoding": "copying"},
    ),
    Term(
        "self-critical",
        N_("self-critical"),
        N_(
            "Training in which a sampled sentence becomes more probable if it scores better than "
            "the model's own greedy output, and less probable if it scores worse."
        ),
        "experiments",
        {"experiment": "metric"},
    ),
    Term(
        "shared-vector",
        N_("share one vector|share a vector"),
        N_(
            "All names enter the model as one and the same embedding: it knows that a name stands "
            "there, not which. It can only point at it."
        ),
        "experiments",
        {"experiment": "copying"},
    ),
)
