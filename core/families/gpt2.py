"""GPT-2: a decoder alone, pre-norm, learned positions, one matrix for query, key and value."""

from collections.abc import Sequence

from torch import Tensor

from ..config import ModelConfig
from ..config.choices import ScoreScale
from .family import Family, FamilyError, Renaming, Settings

_START = r"(?:transformer\.)?"
_WORDS = rf"{_START}wte\.weight"


def _config(settings: Settings) -> ModelConfig:
    settings.expect("add_cross_attention", False)
    d_model = settings.number("n_embd")
    inner = settings.told.get("n_inner")
    return ModelConfig(
        vocab_size=settings.size(_WORDS),
        n_encoder_layers=0,
        n_decoder_layers=settings.number("n_layer"),
        d_model=d_model,
        d_ff=4 * d_model if inner is None else settings.number("n_inner"),
        n_heads=settings.number("n_head"),
        dropout=0.0,
        norm="pre",
        positions="learned",
        max_positions=settings.size(rf"{_START}wpe\.weight"),
        tied="all" if settings.alike(r"lm_head\.weight", _WORDS) else "none",
        norm_eps=settings.fraction("layer_norm_epsilon", default=1e-5),
        activation=settings.activation("activation_function", "gelu_new"),
        score_scale=_score_scale(settings),
        embedding_scale=False,
        **settings.specials("decoder"),
    )


def _score_scale(settings: Settings) -> ScoreScale:
    by_width = settings.flag("scale_attn_weights", default=True)
    by_layer = settings.flag("scale_attn_by_inverse_layer_idx", default=False)
    if by_layer and not by_width:
        raise FamilyError("scale_attn_by_inverse_layer_idx without scale_attn_weights is not known")
    if not by_width:
        return "none"
    return "width_and_layer" if by_layer else "width"


def _turned(tensor: Tensor) -> Sequence[Tensor]:
    """Return a matrix as `nn.Linear` has it: GPT-2's have their inputs first."""
    return (tensor.t().contiguous(),)


def _query_key_value(tensor: Tensor) -> Sequence[Tensor]:
    """Return the three matrices, or biases, that stand side by side."""
    parts = tensor.chunk(3, dim=-1)
    return [part.t().contiguous() if part.dim() > 1 else part.clone() for part in parts]


def _layer() -> tuple[Renaming, ...]:
    start, to = rf"{_START}h\.(\d+)\.", r"decoder.\1."
    attention, forward = rf"{to}self_attention.", rf"{to}feed_forward."
    matrices = {
        r"attn\.c_proj": f"{attention}output",
        r"mlp\.c_fc": f"{forward}expand",
        r"mlp\.c_proj": f"{forward}contract",
    }
    return (
        *(
            Renaming(
                rf"{start}attn\.c_attn\.{part}",
                ",".join(f"{attention}{each}.{part}" for each in ("query", "key", "value")),
                _query_key_value,
            )
            for part in ("weight", "bias")
        ),
        *(
            Renaming(rf"{start}{theirs}\.weight", f"{ours}.weight", _turned)
            for theirs, ours in matrices.items()
        ),
        *(Renaming(rf"{start}{theirs}\.bias", f"{ours}.bias") for theirs, ours in matrices.items()),
        *(
            Renaming(rf"{start}ln_{n + 1}\.(weight|bias)", rf"{to}residuals.{n}.norm.\2")
            for n in (0, 1)
        ),
        # Masks, which are no weights.
        Renaming(rf"{start}attn\.(?:masked_)?bias", ""),
    )


GPT2 = Family(
    "GPT-2",
    _config,
    (
        Renaming(_WORDS, "target_embedding.tokens.weight"),
        Renaming(rf"{_START}wpe\.weight", "target_embedding.positions_PD"),
        *_layer(),
        Renaming(rf"{_START}ln_f\.(weight|bias)", r"decoder_norm.\1"),
        Renaming(r"lm_head\.weight", "output.weight"),
    ),
)
