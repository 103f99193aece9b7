"""How a model learns and writes: forcing, rewards, guides, passes, pointers and vocabularies."""

from ...messages import N_
from ...tasks.naming import Naming
from .experiment import BASE, TRANSLATING, Expected, Experiment, Variant
from .measures import (
    AFTER_MISTAKE,
    BLEU,
    PASS_MEASURES,
    STEPS_TO_LEARN,
    TOKENS,
    WITHOUT_MISTAKE,
)
from .measures import COPYING as HOW_NAMES_ARE_TREATED

FORCING = Experiment(
    name="forcing",
    question=N_("Should a model be fed the true words while it learns, or its own?"),
    claim=N_(
        "With the true words (teacher forcing) it learns in fewer steps, all positions at once. "
        "But it never sees a mistake: fed some of its own words (scheduled sampling), it goes on "
        "better after one."
    ),
    source="Williams & Zipser 1989; Bengio et al. 2015 (scheduled sampling); Lamb et al. 2016",
    variants=(
        Variant(BASE, N_("teacher forcing")),
        Variant(
            "scheduled",
            N_("scheduled sampling, up to 50 %"),
            {"scheduled_sampling": 0.5},
            Expected.MORE,
        ),
        Variant("free", N_("free running"), {"teacher_forcing": False}),
    ),
    measures=(AFTER_MISTAKE, WITHOUT_MISTAKE),
    judged_by=AFTER_MISTAKE.name,
    judges=N_("how it goes on after a mistake, not how many steps learning takes"),
    caution=N_(
        "The mistake is the most probable wrong word in the middle of each of 400 held-out "
        "sentences; from there on the model is fed its own words, and words are compared position "
        "by position. "
        "The training losses do not compare: each is measured on the words that the model was fed."
    ),
)

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

VOCABULARY = Experiment(
    name="vocabulary",
    question=N_("How large should a vocabulary of word pieces be?"),
    claim=N_(
        "Byte pair encoding cuts rare words into pieces. With a few hundred pieces sentences "
        "become long, and a model must learn to spell. Our guess for these sentences: beyond 1,500 "
        "pieces, more do not help."
    ),
    source="Sennrich et al. 2016 (BPE)",
    variants=(
        Variant(BASE, N_("1,500 pieces")),
        Variant("300", N_("300 pieces"), {"vocab_size": 300}, Expected.LESS),
        Variant("600", N_("600 pieces"), {"vocab_size": 600}, Expected.LESS),
        Variant("4000", N_("4,000 pieces"), {"vocab_size": 4000}, Expected.NO_MORE),
    ),
    settings={**TRANSLATING, "vocab_size": 1500},
    measures=(TOKENS, BLEU),
    caution=N_(
        "A larger vocabulary has a larger table of embeddings: the variants do not have equal "
        "parameters (see the table). The loss is per token, so it does not compare vocabularies."
    ),
)
