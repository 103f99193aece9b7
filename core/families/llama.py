"""LLaMA 1, 2 and 3, TinyLlama, SmolLM: a decoder alone, RMSNorm, rotary positions, gated units."""

from collections.abc import Mapping
from reprlib import repr

from ..config import ModelConfig
from .family import Family, FamilyError, Renaming, Settings

_START = r"(?:model\.)?"
_WORDS = rf"{_START}embed_tokens\.weight"
_SCALING = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")


def _config(settings: Settings) -> ModelConfig:
    n_heads, d_model = settings.number("num_attention_heads"), settings.number("hidden_size")
    head_dim = settings.told.get("head_dim")
    d_head = d_model // max(1, n_heads) if head_dim is None else settings.number("head_dim")
    base, scaling = _rotary(settings)
    return ModelConfig(
        vocab_size=settings.size(_WORDS),
        n_encoder_layers=0,
        n_decoder_layers=settings.number("num_hidden_layers"),
        d_model=d_model,
        d_ff=settings.number("intermediate_size"),
        n_heads=n_heads,
        d_k=d_head,
        d_v=d_head,
        dropout=0.0,
        norm="pre",
        positions="rotary",
        max_positions=settings.number("max_position_embeddings", default=2048),
        tied="all" if settings.alike(r"lm_head\.weight", _WORDS) else "none",
        norm_kind="rms",
        norm_eps=settings.fraction("rms_norm_eps", default=1e-6),
        activation=settings.activation("hidden_act", "silu"),
        gated=True,
        attention_bias=settings.flag("attention_bias", default=False),
        ff_bias=settings.flag("mlp_bias", default=False),
        n_kv_heads=_sets(settings, n_heads),
        embedding_scale=False,
        rotary_base=base,
        rotary_scaling=scaling,
        **settings.specials("decoder"),
    )


def _sets(settings: Settings, n_heads: int) -> int:
    """Return how many sets of keys and values the heads share; 0 where each has its own."""
    if settings.told.get("num_key_value_heads") is None:
        return 0
    n = settings.number("num_key_value_heads")
    return 0 if n == n_heads else n


def _rotary(settings: Settings) -> tuple[float, tuple[float, ...]]:
    """Return the base of the angles, and how slow ones are slowed down further.

    Newer files say both in `rope_parameters`, older ones in `rope_theta` and `rope_scaling`.

    Raises:
        FamilyError: They are changed in a way that is not known.
    """
    found = {"rope_theta": settings.told.get("rope_theta", 10000.0)}
    for name in ("rope_scaling", "rope_parameters"):
        value = settings.told.get(name) or {}
        if not isinstance(value, Mapping):
            raise FamilyError(
                "{name} is {value}, not settings by their names", name=name, value=repr(value)
            )
        found |= value
    rotary = Settings(found, settings.weights)
    base = rotary.fraction("rope_theta")
    kind = found.get("rope_type", found.get("type", "default"))
    if kind == "default":
        return base, ()
    if kind != "llama3":
        raise FamilyError("rope_type is {kind}; known are 'default' and 'llama3'", kind=repr(kind))
    return base, tuple(map(rotary.fraction, _SCALING))


def _layer() -> tuple[Renaming, ...]:
    start, to = rf"{_START}layers\.(\d+)\.", r"decoder.\1."
    named = {
        "self_attn.q_proj": "self_attention.query",
        "self_attn.k_proj": "self_attention.key",
        "self_attn.v_proj": "self_attention.value",
        "self_attn.o_proj": "self_attention.output",
        "mlp.gate_proj": "feed_forward.gate",
        "mlp.up_proj": "feed_forward.expand",
        "mlp.down_proj": "feed_forward.contract",
        "input_layernorm": "residuals.0.norm",
        "post_attention_layernorm": "residuals.1.norm",
    }
    return tuple(
        Renaming(rf"{start}{theirs.replace('.', chr(92) + '.')}\.(weight|bias)", rf"{to}{ours}.\2")
        for theirs, ours in named.items()
    )


LLAMA = Family(
    "LLaMA",
    _config,
    (
        Renaming(_WORDS, "target_embedding.tokens.weight"),
        *_layer(),
        Renaming(rf"{_START}norm\.weight", "decoder_norm.weight"),
        Renaming(r"lm_head\.weight", "output.weight"),
        Renaming(r".*rotary_emb\.inv_freq", ""),
    ),
)
