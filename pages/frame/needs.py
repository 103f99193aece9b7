"""What a view needs of a model, and the sentence that says why a model does not have it."""

from collections.abc import Collection, Mapping
from enum import Enum

from core.config import ModelConfig
from core.runs.run import Run, RunSettings
from pages.frame import texts
from pages.frame.language import plain


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
    CROSS = "cross"
    """Where there are an encoder and a decoder: cross-attention."""
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
    DOT_PRODUCTS = "dot_products"
    """Scores that are dot products of queries and keys, and a softmax of them."""
    OWN_VECTORS = "own_vectors"
    """That each word is read and written by a vector of its own, and never copied."""
    OWN_MODULES = "own_modules"
    """That its layers are modules of `core.model`, of which every matrix is known."""


def why_not(run: Run, needs: Collection[Need]) -> str:
    """Return why a view does not apply to a run: the first need that is missing, in a sentence."""
    need = missing(run.settings, needs)
    if need is None:
        return ""
    config = run.settings.model
    sentence: str = texts.toml("needs")[_reason(config, need)]
    norms: Mapping[str, str] = texts.toml("settings")["sublayers"]["norm_kind"]["words"]
    return sentence.format(
        model=plain(run.name), norm=norms.get(config.norm_kind, config.norm_kind)
    )


def missing(settings: RunSettings, needs: Collection[Need]) -> Need | None:
    """Return the first of several needs that a run's model does not have, if any."""
    return next((need for need in needs if _lacks(settings, need)), None)


def _reason(config: ModelConfig, need: Need) -> str:
    """Return the name of the sentence in `needs.toml`: what the model has instead, if anything."""
    match need:
        case Need.TEXTS:
            # Only of an encoder and decoder, whose texts are pairs.
            return Need.TASK.value
        case Need.WRITING if config.labels_text:
            return "labels"
        case Need.TASK if not config.is_encoder_decoder:
            return "task_of_pairs"
        case Need.LAYER_NORM if config.norm_kind == "none":
            return Need.NORM.value
        case Need.DOT_PRODUCTS if config.scores == "additive":
            return "additive_scores"
    return need.value


def _lacks(settings: RunSettings, need: Need) -> bool:
    config = settings.model
    # Positions that are no vectors of their own.
    in_scores = config.positions in ("rotary", "buckets")
    return {
        Need.SOURCE: config.is_decoder_only,
        Need.WRITING: config.is_encoder_only,
        Need.NEXT: config.is_parallel,
        Need.BOTH: not config.is_encoder_decoder,
        Need.HEADS: config.cross == "none"
        and "attention" not in (config.encoder_mixing, config.decoder_mixing),
        Need.CROSS: config.is_encoder_decoder and config.cross != "attention",
        Need.ENCODER_SELF: config.encoder_mixing != "attention",
        Need.DECODER_SELF: config.decoder_mixing != "attention",
        Need.TASK: not settings.has_pairs,
        Need.TEXTS: not settings.has_pairs and config.is_encoder_decoder,
        Need.SCALED_TOKENS: not config.embedding_scale or in_scores or config.positions == "none",
        Need.FEED_FORWARD: not config.feed_forward,
        Need.NORM: config.norm_kind == "none",
        Need.LAYER_NORM: config.norm_kind != "layer",
        Need.DOT_PRODUCTS: config.scores != "dot",
        Need.OWN_VECTORS: config.pointer or config.shared_names > 0,
        Need.OWN_MODULES: bool(config.architecture),
    }[need]
