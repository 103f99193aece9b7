"""Marian, as opus-mt has it: the paper's Transformer, post-norm, sines first, a bias per word."""

from ..config import ModelConfig
from .family import Family, Renaming, Settings

_PARTS = r"(weight|bias)"
_ENCODER, _DECODER = r"model\.encoder\.layers\.(\d+)\.", r"model\.decoder\.layers\.(\d+)\."


def _config(settings: Settings) -> ModelConfig:
    shared = settings.flag("share_encoder_decoder_embeddings", default=True)
    for name in ("encoder_attention_heads", "encoder_ffn_dim"):
        other = name.replace("encoder", "decoder")
        settings.expect(other, settings.number(name))
    settings.expect("normalize_before", False)
    settings.expect("normalize_embedding", False)
    settings.expect("static_position_embeddings", True)
    embedding = r"model\.(shared|encoder\.embed_tokens)\.weight"
    target = r"model\.(shared|decoder\.embed_tokens)\.weight"
    tied_output = settings.alike(r"lm_head\.weight", target)
    return ModelConfig(
        vocab_size=settings.size(embedding),
        target_vocab_size=settings.size(r"final_logits_bias", axis=1),
        n_encoder_layers=settings.number("encoder_layers"),
        n_decoder_layers=settings.number("decoder_layers"),
        d_model=settings.number("d_model"),
        d_ff=settings.number("encoder_ffn_dim"),
        n_heads=settings.number("encoder_attention_heads"),
        dropout=0.0,
        norm="post",
        positions="halves",
        max_positions=settings.number("max_position_embeddings"),
        tied=("all" if shared else "target")
        if tied_output
        else ("embeddings" if shared else "none"),
        activation=settings.activation("activation_function", "swish"),
        embedding_scale=settings.flag("scale_embedding", default=False),
        logit_bias=True,
        **settings.specials("encoder", "decoder"),
    )


def _layer(start: str, stack: str, attention: str, ours: str, norm: int) -> tuple[Renaming, ...]:
    """Return the renamings of a kind of attention and its norm."""
    to = rf"{stack}.\1."
    projections = {"q_proj": "query", "k_proj": "key", "v_proj": "value", "out_proj": "output"}
    return (
        *(
            Renaming(rf"{start}{attention}\.{theirs}\.{_PARTS}", rf"{to}{ours}.{own}.\2")
            for theirs, own in projections.items()
        ),
        Renaming(rf"{start}{attention}_layer_norm\.{_PARTS}", rf"{to}residuals.{norm}.norm.\2"),
    )


def _feed_forward(start: str, stack: str, norm: int) -> tuple[Renaming, ...]:
    to = rf"{stack}.\1."
    return (
        Renaming(rf"{start}fc1\.{_PARTS}", rf"{to}feed_forward.expand.\2"),
        Renaming(rf"{start}fc2\.{_PARTS}", rf"{to}feed_forward.contract.\2"),
        Renaming(rf"{start}final_layer_norm\.{_PARTS}", rf"{to}residuals.{norm}.norm.\2"),
    )


MARIAN = Family(
    "Marian",
    _config,
    (
        Renaming(r"model\.shared\.weight", "source_embedding.tokens.weight"),
        Renaming(r"model\.encoder\.embed_tokens\.weight", "source_embedding.tokens.weight"),
        Renaming(r"model\.decoder\.embed_tokens\.weight", "target_embedding.tokens.weight"),
        Renaming(r"lm_head\.weight", "output.weight"),
        Renaming(r"final_logits_bias", "output.bias", lambda tensor: (tensor.reshape(-1),)),
        Renaming(r"model\.(encoder|decoder)\.embed_positions\.weight", ""),
        *_layer(_ENCODER, "encoder", "self_attn", "self_attention", 0),
        *_feed_forward(_ENCODER, "encoder", 1),
        *_layer(_DECODER, "decoder", "self_attn", "self_attention", 0),
        *_layer(_DECODER, "decoder", "encoder_attn", "cross_attention", 1),
        *_feed_forward(_DECODER, "decoder", 2),
    ),
)
