"""Checks of a model's settings, each alone and all together.

Sizes have bounds, as a few digits in a file would otherwise fill the memory, or keep a page busy
for minutes. A message names settings in braces: `Settings.require` fills in their values.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, get_args

from ..vocabulary import BOS, EOS, FIRST_ID, PAD
from .choices import ComputedPositions, SinusoidalPositions

if TYPE_CHECKING:
    from .model import ModelConfig

MOST_LAYERS = 256
"""Layers of both stacks together; the deepest published models have half as many."""
LARGEST_SIZE = 1 << 24
"""Bound on every size; the entries of a matrix of two such sizes can still be counted."""
LARGEST_TABLE = 1 << 24
"""Bound on the entries of a computed table of positions, which no file holds."""
_LEAST = dict.fromkeys(
    ("vocab_size", "d_model", "d_ff", "n_heads", "max_positions", "max_distance"), 1
) | {"pad_id": -1, "bos_id": -1}
OWN_TOKENS: Mapping[str, object] = {
    "target_vocab_size": 0,
    "has_output": True,
    "pad_id": PAD,
    "bos_id": BOS,
    "eos_ids": (EOS,),
}
"""What a model of our own modules has in settings that only opened models change."""
_MOST_RATIO = 2**16
"""Bound on `target_ratio`."""


def check_each(config: "ModelConfig") -> None:
    """Refuse a value that is invalid by itself, and a model that is too large.

    Raises:
        ConfigError: The message names the setting.
    """
    for name, value in config.whole_numbers().items():
        least = _LEAST.get(name, 0)
        config.require(
            value >= least,
            "{name} is {value}, not {least} or more",
            name=name,
            value=value,
            least=least,
        )
        config.require(
            value <= LARGEST_SIZE,
            "{name} is {value}, more than {most}",
            name=name,
            value=value,
            most=LARGEST_SIZE,
        )
    n_layers = config.n_encoder_layers + config.n_decoder_layers
    config.require(n_layers > 0, "n_encoder_layers and n_decoder_layers are 0: there is no layer")
    config.require(
        n_layers <= MOST_LAYERS,
        "there are {n} layers, more than {most}",
        n=n_layers,
        most=MOST_LAYERS,
    )
    for name in ("d_k", "d_v"):
        width = getattr(config, name)
        config.require(
            config.n_heads * width <= LARGEST_SIZE,
            "{name} is {value}: {n} heads are together wider than {most}",
            name=name,
            value=width,
            n=config.n_heads,
            most=LARGEST_SIZE,
        )
    is_computed = config.positions in get_args(ComputedPositions)
    config.require(
        not is_computed or config.max_positions * config.d_model <= LARGEST_TABLE,
        "max_positions is {n} and d_model {d_model}: a table of positions has at most {most} "
        "numbers",
        n=config.max_positions,
        most=LARGEST_TABLE,
    )
    config.require(0 <= config.dropout < 1, "dropout is {dropout}, not in [0, 1)")
    config.require(
        0 <= config.target_ratio <= _MOST_RATIO,
        "target_ratio is {value}, not 0 to {most}",
        value=config.target_ratio,
        most=_MOST_RATIO,
    )
    for name in ("norm_eps", "rotary_base", "sinusoid_base"):
        value = getattr(config, name)
        config.require(value > 0, "{name} is {value}, not above 0", name=name, value=value)
    config.require(
        config.positions not in get_args(SinusoidalPositions) or config.d_model % 2 == 0,
        "d_model is {d_model}: sinusoids come in pairs and need an even width",
    )


def check_together(config: "ModelConfig") -> None:
    """Refuse settings that are each valid but do not go together.

    Raises:
        ConfigError: The message says what does not go together.
    """
    config.require(
        config.n_heads % config.n_key_value_sets == 0,
        "n_kv_heads is {n_kv_heads}: {n_heads} heads cannot share so many sets "
        "of keys and values evenly",
    )
    _check_positions(config)
    _check_projections(config)
    config.require(
        config.norm_kind != "batch" or not (config.embedding_norm or config.head_transform),
        "norm_kind is batch: where tokens come in and where words are scored "
        "(embedding_norm, head_transform) norms know nothing of padding",
    )
    _check_mixing(config)
    _check_memory(config)
    _check_scores(config)
    _check_decoder(config)
    config.require(
        config.positions != "rotary"
        or "attention" in (config.encoder_mixing, config.decoder_mixing),
        "positions is rotary, and there is no self-attention whose queries and keys it turns",
    )
    _check_copying(config)
    config.require(
        config.is_encoder_only or not config.labels_text,
        "predicts is {predicts}: that is for an encoder alone",
    )
    if not config.architecture:
        _check_own_tokens(config)
    most = max(config.pad_id, config.bos_id, *config.eos_ids)
    n = max(config.vocab_size, config.n_target_tokens, FIRST_ID)
    config.require(
        most < n, "a special token has number {most}: there are {n} tokens", most=most, n=n
    )


def _check_own_tokens(config: "ModelConfig") -> None:
    """Refuse a model of our own modules with the tokens or vocabularies of an opened one."""
    for name, usual in OWN_TOKENS.items():
        value = getattr(config, name)
        config.require(
            value == usual,
            "{name} is {value}: such models can be opened, but not trained",
            name=name,
            value=repr(value),
        )


def _check_positions(config: "ModelConfig") -> None:
    """Refuse sizes that the positions do not support."""
    n_buckets = config.n_buckets
    config.require(
        config.positions != "rotary" or config.d_k % 2 == 0,
        "d_k is {d_k}: rotary positions turn pairs and need an even width",
    )
    if config.positions == "buckets":
        config.require(
            n_buckets >= 4 and n_buckets % 4 == 0, "n_buckets is {n_buckets}, not a multiple of 4"
        )
        config.require(
            config.max_distance > n_buckets // 2,
            "max_distance is {value}: half of {n_buckets} buckets are for single distances, and "
            "others must be left",
            value=config.max_distance,
        )


def _check_projections(config: "ModelConfig") -> None:
    """Refuse settings that do not go with shared or missing projections."""
    n_heads, n_sets, d_model = config.n_heads, config.n_key_value_sets, config.d_model
    config.require(
        "q" not in config.shared or n_sets == n_heads,
        "shared is {shared}: {n_heads} heads have {n_sets} sets of keys and "
        "values, which are no queries",
        n_sets=n_sets,
    )
    config.require(
        "v" not in config.shared or config.d_k == config.d_v,
        "shared is {shared}: keys are {d_k} wide and values {d_v}",
    )
    config.require(
        config.projections or config.shared == "nothing",
        "shared is {shared}, and projections is False: there is no matrix to share",
    )
    config.require(
        config.projections or (n_sets == n_heads and n_heads * config.d_k == d_model),
        "projections is False: {n_heads} heads of width {d_k} and {n_sets} "
        "sets of keys and values do not share d_model, {d_model}, evenly",
        n_sets=n_sets,
    )
    config.require(
        (config.projections and config.output_projection) or n_heads * config.d_v == d_model,
        "{n_heads} heads of width {d_v} do not make d_model, {d_model}, without a projection",
    )


def _check_mixing(config: "ModelConfig") -> None:
    """Refuse settings that do not go with a replaced attention."""
    mixes = config.is_encoder_decoder and config.positions != "buckets"
    config.require(
        config.decoder_mixing == "attention" or mixes,
        "decoder_mixing is {decoder_mixing}: it needs an encoder, and no buckets",
    )
    config.require(
        config.encoder_mixing == "attention" or mixes,
        "encoder_mixing is {encoder_mixing}: it needs a decoder, and no buckets",
    )
    config.require(
        config.cross != "none"
        or (config.is_encoder_decoder and config.decoder_mixing in ("gru", "lstm")),
        "cross is {cross}: then the decoder must be recurrent (gru or lstm), "
        "and begin with an encoder's last state",
    )
    config.require(
        config.cross != "own"
        or (mixes and config.decoder_mixing == "attention" and not config.is_parallel),
        "cross is own: it needs an encoder, and a causal decoder with self-attention",
    )
    config.require(
        not config.encoder_mixing.endswith("two_way") or config.d_model % 2 == 0,
        "d_model is {d_model}: two ways share it evenly",
    )
    config.require(
        config.feed_forward or config.encoder_mixing != "none",
        "encoder_mixing is none and feed_forward is False: its layers would be empty",
    )


def _check_memory(config: "ModelConfig") -> None:
    """Refuse settings that do not go with a memory other than the encoder's last layer."""
    if config.memory == "last":
        return
    config.require(
        _attends_to_source(config) and config.decoder_mixing not in ("gru", "lstm"),
        "memory is {memory}: it needs a decoder with cross-attention, and none "
        "that begins with the last layer's state (gru or lstm)",
    )
    config.require(
        config.memory != "same" or config.n_encoder_layers == config.n_decoder_layers,
        "memory is same: {n} encoder layers and {n_decoder} decoder layers "
        "have no depths in common throughout",
        n=config.n_encoder_layers,
        n_decoder=config.n_decoder_layers,
    )
    config.require(
        config.memory == "first" or not (config.norm_kind == "batch" and config.norm == "pre"),
        "memory is {memory}, and norm_kind is batch before the sublayers: the "
        "final norm would have the statistics of several layers at once",
    )


def _check_scores(config: "ModelConfig") -> None:
    """Refuse settings of dot products with other scores."""
    if config.scores == "dot":
        return
    config.require(
        config.positions not in ("rotary", "buckets"),
        "positions is {positions}, and scores is {scores}: these positions are "
        "told in the dot products of queries and keys",
    )
    config.require(
        config.score_scale == "width",
        "score_scale is {score_scale}, and scores is {scores}: only dot products are divided",
    )
    config.require(
        "attention" in (config.encoder_mixing, config.decoder_mixing) or _attends_to_source(config),
        "scores is {scores}, and nothing is attended to",
    )


def _check_decoder(config: "ModelConfig") -> None:
    """Refuse settings that do not go with a parallel decoder."""
    if config.decoder != "parallel":
        config.require(
            config.length == "end",
            "length is {length}, and decoder is {decoder}: it writes up to EOS, "
            "and only a parallel decoder has to know beforehand",
        )
        return
    config.require(
        config.is_encoder_decoder and config.decoder_mixing == "attention",
        "decoder is {decoder}: it needs an encoder, and self-attention in the "
        "decoder, for every place looks at all others",
    )
    config.require(
        config.max_positions > 1,
        "decoder is {decoder} and max_positions 1: there is no place beside BOS",
    )
    if config.length == "end":
        return
    config.require(
        config.max_positions > 2,
        "length is {length} and max_positions {max_positions}: there is no "
        "place beside BOS and EOS",
    )
    config.require(
        config.memory in ("last", "first"),
        "length is {length} and memory is {memory}: it is predicted from what "
        "one encoder layer says of the source, and not from several",
    )


def _check_copying(config: "ModelConfig") -> None:
    """Refuse settings of copying that do not go with the rest of the model."""
    for name in ("pointer", "shared_names"):
        value = getattr(config, name)
        config.require(
            not value or config.is_encoder_decoder,
            "{name} is {value}: it needs an encoder and a decoder with one vocabulary",
            name=name,
            value=value,
        )
    config.require(
        not config.pointer or config.cross == "attention",
        "pointer is True and cross is {cross}: what cross-attention looks at is copied",
    )
    config.require(
        not config.pointer or config.memory in ("last", "first"),
        "pointer is True and memory is {memory}: p_gen is made of what one "
        "encoder layer says of the words, and not of several",
    )
    most = max(0, config.vocab_size - FIRST_ID)
    config.require(
        config.shared_names <= most,
        "shared_names is {shared_names}, not 0 to {most}, the tokens that are words",
        most=most,
    )


def _attends_to_source(config: "ModelConfig") -> bool:
    return config.is_encoder_decoder and config.cross != "none"
