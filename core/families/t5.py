"""T5 1.0 and 1.1 (flan-t5): pre-norm without means, no biases, distances in the scores."""

from reprlib import repr

from ..config import ModelConfig
from .family import ACTIVATIONS, Family, FamilyError, Renaming, Settings

_MAX_POSITIONS = 2048
"""No table ends anywhere: all far distances share a bucket."""


def _config(settings: Settings) -> ModelConfig:
    gated, activation = _feed_forward(str(settings.told.get("feed_forward_proj", "relu")))
    tied_output = settings.alike(r"lm_head\.weight", r"shared\.weight")
    # What `tie_word_embeddings: false` once said lives on under this name.
    scaled = settings.flag("scale_decoder_outputs", default=tied_output)
    n_layers = settings.number("num_layers")
    return ModelConfig(
        vocab_size=settings.size(r"shared\.weight"),
        n_encoder_layers=n_layers,
        n_decoder_layers=settings.number("num_decoder_layers", default=n_layers),
        d_model=settings.number("d_model"),
        d_ff=settings.number("d_ff"),
        n_heads=settings.number("num_heads"),
        d_k=settings.number("d_kv"),
        d_v=settings.number("d_kv"),
        dropout=0.0,
        norm="pre",
        positions="buckets",
        max_positions=_MAX_POSITIONS,
        tied="all" if tied_output else "embeddings",
        norm_kind="rms",
        norm_eps=settings.fraction("layer_norm_epsilon", default=1e-6),
        activation=ACTIVATIONS[activation],
        gated=gated,
        attention_bias=False,
        ff_bias=False,
        score_scale="none",
        embedding_scale=False,
        n_buckets=settings.number("relative_attention_num_buckets", default=32),
        max_distance=settings.number("relative_attention_max_distance", default=128),
        logit_scale=scaled,
        **settings.specials("encoder", "decoder"),
    )


def _feed_forward(said: str) -> tuple[bool, str]:
    """Return whether a feed-forward layer is gated, and its activation.

    >>> _feed_forward("gated-gelu"), _feed_forward("relu")
    ((True, 'gelu_new'), (False, 'relu'))

    Raises:
        FamilyError: It is not known.
    """
    gated, activation = said.startswith("gated-"), said.removeprefix("gated-")
    if said == "gated-gelu":
        # By this the published models mean GELU as GPT-2 computes it.
        activation = "gelu_new"
    if activation not in ACTIVATIONS:
        raise FamilyError(
            "feed_forward_proj is {value}; known are relu, gated-gelu, gated-silu", value=repr(said)
        )
    return gated, activation


def _attention(stack: str, layer: int, theirs: str, ours: str) -> tuple[Renaming, ...]:
    start = rf"{stack}\.block\.(\d+)\.layer\.{layer}\."
    projections = {"q": "query", "k": "key", "v": "value", "o": "output"}
    return (
        *(
            Renaming(rf"{start}{theirs}\.{each}\.weight", rf"{stack}.\1.{ours}.{own}.weight")
            for each, own in projections.items()
        ),
        Renaming(rf"{start}layer_norm\.weight", rf"{stack}.\1.residuals.{layer}.norm.weight"),
    )


def _rest(stack: str, layer: int) -> tuple[Renaming, ...]:
    start = rf"{stack}\.block\.(\d+)\.layer\.{layer}\."
    matrices = {"wi": "expand", "wi_0": "gate", "wi_1": "expand", "wo": "contract"}
    bias = rf"{stack}\.block\.0\.layer\.0\.SelfAttention\.relative_attention_bias\.weight"
    return (
        Renaming(rf"{stack}\.embed_tokens\.weight", "source_embedding.tokens.weight"),
        Renaming(bias, f"{stack}.0.self_attention.relative.table.weight"),
        *(
            Renaming(
                rf"{start}DenseReluDense\.{each}\.weight", rf"{stack}.\1.feed_forward.{own}.weight"
            )
            for each, own in matrices.items()
        ),
        Renaming(rf"{start}layer_norm\.weight", rf"{stack}.\1.residuals.{layer}.norm.weight"),
        Renaming(rf"{stack}\.final_layer_norm\.weight", f"{stack}_norm.weight"),
    )


T5 = Family(
    "T5",
    _config,
    (
        Renaming(r"shared\.weight", "source_embedding.tokens.weight"),
        Renaming(r"lm_head\.weight", "output.weight"),
        *_attention("encoder", 0, "SelfAttention", "self_attention"),
        *_rest("encoder", 1),
        *_attention("decoder", 0, "SelfAttention", "self_attention"),
        *_attention("decoder", 1, "EncDecAttention", "cross_attention"),
        *_rest("decoder", 2),
        # Early files have a table in cross-attention that was never used.
        Renaming(
            r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight", ""
        ),
    ),
)
