"""Layers: every part of the loaded model, what it costs, and what it does to a sentence."""

from pages.frame.language import N_
from pages.frame.needs import Need
from pages.frame.view import View, of_sentence
from pages.layers import counts, lens, mixing, norms, parts, sizes, stream, units, vectors

VIEWS = (
    View(
        "parts",
        N_("parts"),
        N_(
            "The model as it is loaded, from the bottom up. Click a part: its shapes for this "
            "sentence, its parameters, its work."
        ),
        parts.draw,
    ),
    View(
        "vectors",
        N_("vectors"),
        N_(
            "A token begins as a row of the embedding matrix. In one-hot vectors no two words have "
            "anything in common; in learned ones some do."
        ),
        vectors.draw,
    ),
    View(
        "stream",
        N_("stream"),
        N_(
            "The vectors that go from sublayer to sublayer: how long they get, and how alike they "
            "stay to the embedding that they begin as."
        ),
        stream.draw,
    ),
    View(
        "lens",
        N_("logit lens"),
        N_(
            "What the model would say if its layers ended here: the residual stream after each "
            "layer, read through the output matrix (logit lens)."
        ),
        lens.draw,
        needs=(Need.WRITING, Need.NEXT, Need.OWN_VECTORS),
    ),
    View(
        "norms",
        N_("LayerNorm"),
        N_(
            "LayerNorm looks at one position at a time. BatchNorm on the same vectors would depend "
            "on the other sentences and on padding."
        ),
        norms.draw,
        needs=(Need.NORM, Need.LAYER_NORM),
    ),
    View(
        "units",
        N_("units"),
        N_(
            "The feed-forward layer's units after the activation: a unit fires where it is above "
            "0, and different words activate different units."
        ),
        units.draw,
        needs=(Need.FEED_FORWARD,),
    ),
    View(
        "mixing",
        N_("mixing"),
        N_(
            "Self-attention takes something from other words; the feed-forward layer treats each "
            "word alone."
        ),
        mixing.draw,
        older="sides",
        needs=(
            Need.ENCODER_SELF,
            Need.FEED_FORWARD,
        ),
    ),
    View(
        "counts",
        N_("counts"),
        N_("Where the parameters are: in this model, and in every model of the paper's Table 3."),
        counts.draw,
        of_sentence=False,
    ),
    View(
        "sizes",
        N_("sizes"),
        N_("BERT, GPT-2, LLaMA, T5, Marian: what each is made of, drawn and counted."),
        sizes.draw,
        of_sentence=False,
    ),
)


def render() -> None:
    """Ask for a sentence and a view, and show it."""
    of_sentence(VIEWS, "layers")
