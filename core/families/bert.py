"""BERT: an encoder alone, post-norm, learned positions and segments, a norm on the embedding."""

from ..config import ModelConfig
from .family import Family, Renaming, Settings

_PARTS = r"(weight|bias)"
_START = r"(?:bert\.)?"
_WORDS = rf"{_START}embeddings\.word_embeddings\.weight"


def _config(settings: Settings) -> ModelConfig:
    settings.expect("position_embedding_type", "absolute")
    settings.expect("is_decoder", False)
    settings.expect("add_cross_attention", False)
    has_output = settings.has(r"cls\.predictions\.bias")
    tied = settings.alike(r"cls\.predictions\.decoder\.weight", _WORDS)
    return ModelConfig(
        vocab_size=settings.size(_WORDS),
        n_encoder_layers=settings.number("num_hidden_layers"),
        n_decoder_layers=0,
        d_model=settings.number("hidden_size"),
        d_ff=settings.number("intermediate_size"),
        n_heads=settings.number("num_attention_heads"),
        dropout=0.0,
        norm="post",
        positions="learned",
        max_positions=settings.number("max_position_embeddings"),
        tied="all" if tied else "none",
        norm_eps=settings.fraction("layer_norm_eps", default=1e-12),
        activation=settings.activation("hidden_act", "gelu"),
        embedding_scale=False,
        embedding_norm=True,
        n_segments=settings.number("type_vocab_size", default=2),
        logit_bias=has_output,
        head_transform=has_output,
        has_output=has_output,
        **settings.specials("encoder"),
    )


def _norm(theirs: str, ours: str) -> tuple[Renaming, ...]:
    """Return the renamings of a norm; old files call its parts gamma and beta."""
    return (
        Renaming(rf"{theirs}\.LayerNorm\.(?:weight|gamma)", f"{ours}.weight"),
        Renaming(rf"{theirs}\.LayerNorm\.(?:bias|beta)", f"{ours}.bias"),
    )


def _layer() -> tuple[Renaming, ...]:
    start, to = rf"{_START}encoder\.layer\.(\d+)\.", r"encoder.\1."
    return (
        *(
            Renaming(rf"{start}attention\.self\.{each}\.{_PARTS}", rf"{to}self_attention.{each}.\2")
            for each in ("query", "key", "value")
        ),
        Renaming(rf"{start}attention\.output\.dense\.{_PARTS}", rf"{to}self_attention.output.\2"),
        Renaming(rf"{start}intermediate\.dense\.{_PARTS}", rf"{to}feed_forward.expand.\2"),
        Renaming(rf"{start}output\.dense\.{_PARTS}", rf"{to}feed_forward.contract.\2"),
        *_norm(rf"{start}attention\.output", rf"{to}residuals.0.norm"),
        *_norm(rf"{start}output", rf"{to}residuals.1.norm"),
    )


_EMBEDDING, _HEAD = rf"{_START}embeddings", r"cls\.predictions\.transform"
BERT = Family(
    "BERT",
    _config,
    (
        Renaming(_WORDS, "source_embedding.tokens.weight"),
        Renaming(rf"{_EMBEDDING}\.position_embeddings\.weight", "source_embedding.positions_PD"),
        Renaming(
            rf"{_EMBEDDING}\.token_type_embeddings\.weight", "source_embedding.segments.weight"
        ),
        *_norm(_EMBEDDING, "source_embedding.norm"),
        *_layer(),
        Renaming(rf"{_HEAD}\.dense\.{_PARTS}", r"output_transform.dense.\1"),
        *_norm(_HEAD, "output_transform.norm"),
        Renaming(r"cls\.predictions\.decoder\.weight", "output.weight"),
        Renaming(r"cls\.predictions\.(?:decoder\.)?bias", "output.bias"),
        # Numbers from 0 on; and what was learned for other tasks than the guessing of words.
        Renaming(rf"{_EMBEDDING}\.position_ids", ""),
        Renaming(rf"{_START}pooler\.dense\.{_PARTS}|cls\.seq_relationship\.{_PARTS}", ""),
    ),
)
