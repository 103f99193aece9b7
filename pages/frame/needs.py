"""What a view needs of a model, and the sentence that says why a model does not have it."""

from collections.abc import Collection
from enum import Enum

from core.runs.run import Run, RunSettings
from pages.frame.language import _, plain


class Need(Enum):
    """Something that not every model has."""

    HEADS = "heads"
    """Attention, of any kind."""
    SOURCE = "source"
    """An encoder: a text that is only read."""
    WRITING = "writing"
    """A decoder."""
    NEXT = "next"
    """Where there is a decoder: that it writes one word after the other."""
    BOTH = "both"
    """A decoder that looks at what an encoder has read."""
    ENCODER_SELF = "encoder_self"
    """Where there is an encoder: that its words look at each other."""
    DECODER_SELF = "decoder_self"
    """Where there is a decoder: that it looks at what is written so far."""
    TASK = "task"
    """Pairs to measure on: of the task that it was trained on here, or the user's own."""
    TEXTS = "texts"
    """Texts to measure on. Of an encoder and decoder these are pairs, of one stack any will do."""
    SCALED_TOKENS = "scaled_tokens"
    """Vectors of tokens times √d_model, to which vectors of positions are added."""
    FEED_FORWARD = "feed_forward"
    """Feed-forward layers."""
    NORM = "norm"
    """Norms, whatever their kind."""
    LAYER_NORM = "layer_norm"
    """LayerNorm, which takes the mean away before it divides."""
    SCALED_SCORES = "scaled_scores"
    """Scores divided by √d_k."""
    DOT_PRODUCTS = "dot_products"
    """Scores that are dot products of queries and keys, and a softmax of them."""
    OWN_VECTORS = "own_vectors"
    """That each word is read and written by a vector of its own, and never copied."""


def why_not(run: Run, needs: Collection[Need]) -> str:
    """Return why a view does not apply to a run's model, in a sentence; empty where it does.

    Args:
        run: The run.
        needs: What the view needs; the first that is missing is said.
    """
    need = missing(run.settings, needs)
    return "" if need is None else _sentence(run.settings, need).format(model=plain(run.name))


def missing(settings: RunSettings, needs: Collection[Need]) -> Need | None:
    """Return the first of several needs that a run's model does not have, if any."""
    return next((need for need in needs if _lacks(settings, need)), None)


def _sentence(settings: RunSettings, need: Need) -> str:
    if need is Need.TASK and not settings.model.is_encoder_decoder:
        return _(
            "{model} has one stack of layers: it reads no pairs of a source and a target, and on "
            "such pairs this view measures. What its heads do is measured on text on Heads, roles."
        )
    if need is Need.LAYER_NORM and settings.model.norm_kind == "batch":
        return _(
            "{model} has norms over the features of a whole batch (BatchNorm). This view is about "
            "LayerNorm."
        )
    if need is Need.DOT_PRODUCTS and settings.model.scores == "additive":
        return _(
            "{model} has additive attention: a small network of each head compares a query with a "
            "key. This view is about their dot products."
        )
    # Texts lack only where they have to be pairs.
    return _SENTENCES[Need.TASK if need is Need.TEXTS else need]()


def _lacks(settings: RunSettings, need: Need) -> bool:
    config = settings.model
    in_scores = config.positions in _IN_SCORES
    return {
        Need.SOURCE: config.is_decoder_only,
        Need.WRITING: config.is_encoder_only,
        Need.NEXT: config.is_parallel,
        Need.BOTH: not config.is_encoder_decoder,
        Need.HEADS: config.cross == "none"
        and "attention" not in (config.encoder_mixing, config.decoder_mixing),
        Need.ENCODER_SELF: config.encoder_mixing != "attention",
        Need.DECODER_SELF: config.decoder_mixing != "attention",
        Need.TASK: not settings.has_pairs,
        Need.TEXTS: not settings.has_pairs and config.is_encoder_decoder,
        Need.SCALED_TOKENS: not config.embedding_scale or in_scores or config.positions == "none",
        Need.FEED_FORWARD: not config.feed_forward,
        Need.NORM: config.norm_kind == "none",
        Need.LAYER_NORM: config.norm_kind != "layer",
        Need.SCALED_SCORES: config.score_scale != "width" or config.scores != "dot",
        Need.DOT_PRODUCTS: config.scores != "dot",
        Need.OWN_VECTORS: config.pointer or config.shared_names > 0,
    }[need]


_IN_SCORES = ("rotary", "buckets")
"""Positions that are no vectors of their own."""
_SENTENCES = {
    Need.SOURCE: lambda: _(
        "{model} is a decoder alone: it goes on from a text, and no encoder reads one. This view "
        "is about what an encoder reads."
    ),
    Need.WRITING: lambda: _(
        "{model} is an encoder alone: it reads a text and writes none. This view is about what a "
        "decoder writes."
    ),
    Need.BOTH: lambda: _(
        "{model} has one stack of layers. This view is about an encoder and the decoder that "
        "looks at what it has read."
    ),
    Need.NEXT: lambda: _(
        "{model} fills in all words at once (a parallel decoder): no word is the next one, which "
        "this view is about. How it writes is shown on Decoding, “step by step”."
    ),
    Need.HEADS: lambda: _(
        "{model} has no attention: all that its decoder knows of the source is one vector. This "
        "view is about what heads look at."
    ),
    Need.ENCODER_SELF: lambda: _(
        "{model} has no encoder self-attention, and this view is about how the words of the source "
        "look at each other."
    ),
    Need.DECODER_SELF: lambda: _(
        "{model} has no decoder self-attention, and this view is about how a decoder looks at what "
        "is written so far."
    ),
    Need.TASK: lambda: _(
        "{model} was trained elsewhere: nobody here knows on which task. This view measures on "
        "pairs of sentences; give it some of your own on Heads, roles, “Your own text”."
    ),
    Need.SCALED_TOKENS: lambda: _(
        "{model} does not add vectors of positions to vectors of tokens times √d_model, which "
        "this view compares."
    ),
    Need.FEED_FORWARD: lambda: _(
        "{model} has no feed-forward layers: its layers are attention alone. This view is about "
        "the feed-forward layer."
    ),
    Need.NORM: lambda: _("{model} has no norms. This view is about LayerNorm."),
    Need.LAYER_NORM: lambda: _(
        "{model} divides by the root of the mean square (RMSNorm) and takes no mean away. This "
        "view is about LayerNorm."
    ),
    Need.SCALED_SCORES: lambda: _(
        "{model} does not divide its scores by √d_k, which this view takes away."
    ),
    Need.DOT_PRODUCTS: lambda: _(
        "{model} has linear attention: weights are shares of φ(q)·φ(k), without a softmax. This "
        "view is about dot products of queries and keys, and their softmax."
    ),
    Need.OWN_VECTORS: lambda: _(
        "{model} can copy, or has one vector for all names. This view reads each layer by the "
        "words’ own vectors, which tell of neither."
    ),
}
