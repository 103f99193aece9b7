"""What can be varied around the layers: how positions mix, what is read, what is written."""

from core.choices import CHOICES
from pages.frame.knobs.knob import Knob
from pages.frame.language import N_

STACKS = (
    Knob(
        "encoder_mixing",
        N_("Encoder mixing"),
        N_(
            "How a position of the encoder learns of the others: attention as in the paper, the "
            "mean of all, a convolution of width 3, not at all, or a recurrent network (with both "
            "mixings recurrent, the model is what came before the Transformer)."
        ),
        offered=CHOICES["encoder_mixing"],
        words={
            "attention": N_("attention"),
            "average": N_("average"),
            "convolution": N_("convolution"),
            "none": N_("none"),
            "gru": "GRU",
            "lstm": "LSTM",
            "gru_two_way": N_("GRU, two-way"),
            "lstm_two_way": N_("LSTM, two-way"),
        },
    ),
    Knob(
        "decoder_mixing",
        N_("Decoder mixing"),
        N_("How a position of the decoder learns of those before it. GRU and LSTM are recurrent."),
        offered=CHOICES["decoder_mixing"],
        words={
            "attention": N_("attention"),
            "average": N_("average"),
            "convolution": N_("convolution"),
            "none": N_("none"),
            "gru": "GRU",
            "lstm": "LSTM",
        },
    ),
    Knob(
        "cross",
        N_("Cross-attention"),
        N_(
            "none: a recurrent decoder begins with the encoder's last state and sees nothing else "
            "of the source."
        ),
        offered=CHOICES["cross"],
        words={"attention": N_("attention"), "none": N_("none")},
    ),
    Knob(
        "memory",
        N_("Memory"),
        N_(
            "Which encoder layer a decoder layer reads: the last as in the paper, the first, the "
            "one of the same depth, or a learned mixture of all (He et al. 2018)."
        ),
        offered=CHOICES["memory"],
        words={
            "last": N_("last layer"),
            "first": N_("first layer"),
            "same": N_("same depth"),
            "mixed": N_("mixture"),
        },
    ),
    Knob(
        "decoder",
        N_("Kind of decoder"),
        N_(
            "causal: it writes one token after the other. parallel: it writes all at once and "
            "corrects those that it doubts (mask-predict, Ghazvininejad et al. 2019)."
        ),
        offered=CHOICES["decoder"],
        words={"causal": N_("causal"), "parallel": N_("parallel")},
    ),
    Knob(
        "length",
        N_("Length of the target"),
        N_(
            "Where the target of a parallel decoder ends: at the first EOS of more places than it "
            "needs, or where a classifier on top of the encoder predicts the length beforehand."
        ),
        offered=CHOICES["length"],
        words={"end": N_("cut at EOS"), "predicted": N_("predicted")},
    ),
    Knob(
        "pointer",
        N_("Pointer"),
        N_(
            "Words are also copied from where the last cross-attention looks (pointer-generator, "
            "See et al. 2017)."
        ),
    ),
    Knob(
        "shared_names",
        N_("Names as one vector"),
        N_(
            "All names of a task that has some are read as one and the same vector, so that names "
            "that were never seen can be copied."
        ),
        (0, 50_000),
    ),
    Knob(
        "tied",
        N_("Tied matrices"),
        N_(
            "Which of source embedding, target embedding and output projection are one matrix. "
            "The paper: all."
        ),
        offered=CHOICES["tied"],
        words={
            "all": N_("all"),
            "target": N_("target and output"),
            "embeddings": N_("both embeddings"),
            "none": N_("none"),
        },
    ),
    Knob(
        "logit_scale",
        N_("Logits / √d_model"),
        N_("The stream is divided by √d_model before the output projection, as in T5."),
    ),
    Knob(
        "logit_bias",
        N_("Bias of the logits"),
        N_("The output projection adds a learned number to the score of each token."),
    ),
    Knob(
        "head_transform",
        N_("Output transform"),
        N_(
            "A dense layer with its activation and a norm stands before the output projection, as "
            "in BERT."
        ),
    ),
)
