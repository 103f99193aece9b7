"""Which settings of a model do not go together, where that takes more than a line to say."""

from collections.abc import Sequence

from core.choices import Decoder, Length, Memory, Positions, Scores, ScoreScale, Shared
from core.settings import require


def check_memory(
    memory: Memory, depths: tuple[int, int], *, reads: bool, batch_norm_before: bool
) -> None:
    """Refuse what cannot be where a decoder does not read the encoder's last layer.

    Args:
        memory: Which layer it reads.
        depths: Layers of encoder and decoder.
        reads: Whether it looks at the source, and nothing else of it begins with the last layer.
        batch_norm_before: Whether norms over the batch stand before the sublayers.

    Raises:
        ConfigError: They do not go together.
    """
    if memory == "last":
        return
    require(
        reads,
        f"memory is {memory}: it needs a decoder with cross-attention, and none that begins with "
        "the last layer's state (gru or lstm)",
    )
    require(
        memory != "same" or depths[0] == depths[1],
        f"memory is same: {depths[0]} encoder layers and {depths[1]} decoder layers have no depths "
        "in common throughout",
    )
    require(
        memory == "first" or not batch_norm_before,
        f"memory is {memory}, and norm_kind is batch before the sublayers: the final norm would "
        "have the statistics of several layers at once",
    )


def check_positions(
    positions: Positions, d_k: int, n_buckets: int, rotary_scaling: Sequence[float]
) -> None:
    """Refuse sizes that positions cannot be told in.

    Args:
        positions: How they are told.
        d_k: Width of a head's queries and keys.
        n_buckets: Of distances.
        rotary_scaling: None, or four numbers.

    Raises:
        ConfigError: They do not go together.
    """
    require(
        positions != "rotary" or d_k % 2 == 0,
        f"d_k is {d_k}: rotary positions turn pairs and need an even width",
    )
    require(
        positions != "buckets" or (n_buckets >= 4 and n_buckets % 4 == 0),
        f"n_buckets is {n_buckets}, not a multiple of 4",
    )
    require(
        len(rotary_scaling) in (0, 4) and all(each > 0 for each in rotary_scaling),
        f"rotary_scaling is {list(rotary_scaling)}, not four numbers above 0",
    )


def check_scores(
    scores: Scores, positions: Positions, score_scale: ScoreScale, *, attends: bool
) -> None:
    """Refuse what belongs to dot products where there are none.

    Args:
        scores: What queries and keys make of each other.
        positions: How positions are told.
        score_scale: What dot products are divided by.
        attends: Whether there is attention of any kind.

    Raises:
        ConfigError: They do not go together.
    """
    if scores == "dot":
        return
    require(
        positions not in ("rotary", "buckets"),
        f"positions is {positions}, and scores is {scores}: these positions are told in the dot "
        "products of queries and keys",
    )
    require(
        score_scale == "width",
        f"score_scale is {score_scale}, and scores is {scores}: only dot products are divided",
    )
    require(attends, f"scores is {scores}, and nothing is attended to")


def check_projections(
    shared: Shared,
    sizes: tuple[int, int, int, int, int],
    *,
    projections: bool,
    output_projection: bool,
) -> None:
    """Refuse what cannot be where there is no matrix to make one width of another.

    Args:
        shared: Which projections are one matrix.
        sizes: Heads, sets of keys and values, d_k, d_v, d_model.
        projections: Whether there are any.
        output_projection: Whether there is one of what heads make.

    Raises:
        ConfigError: They do not go together.
    """
    n_heads, n_sets, d_k, d_v, d_model = sizes
    require(
        "q" not in shared or n_sets == n_heads,
        f"shared is {shared}: {n_heads} heads have {n_sets} sets of keys and values, which are no "
        "queries",
    )
    require(
        "v" not in shared or d_k == d_v,
        f"shared is {shared}: keys are {d_k} wide and values {d_v}",
    )
    if not projections:
        require(
            shared == "nothing",
            f"shared is {shared}, and projections is False: there is no matrix to share",
        )
        require(
            n_sets == n_heads and n_heads * d_k == d_model,
            f"projections is False: {n_heads} heads of width {d_k} and {n_sets} sets of keys and "
            f"values do not share d_model, {d_model}, evenly",
        )
    require(
        (projections and output_projection) or n_heads * d_v == d_model,
        f"{n_heads} heads of width {d_v} do not make d_model, {d_model}, without a projection",
    )


def check_decoder(
    decoder: Decoder, length: Length, memory: Memory, max_positions: int, *, attends: bool
) -> None:
    """Refuse what a parallel decoder cannot do without.

    Args:
        decoder: Whether it is one.
        length: Where its target ends.
        memory: Which encoder layer is read.
        max_positions: Of the model.
        attends: Whether there is an encoder, and the decoder has self-attention.

    Raises:
        ConfigError: They do not go together.
    """
    if decoder != "parallel":
        require(
            length == "end",
            f"length is {length}, and decoder is {decoder}: it writes up to EOS, and only a "
            "parallel decoder has to know beforehand",
        )
        return
    require(
        attends,
        f"decoder is {decoder}: it needs an encoder, and self-attention in the decoder, for every "
        "place looks at all others",
    )
    require(
        max_positions > 1,
        f"decoder is {decoder} and max_positions 1: there is no place beside BOS",
    )
    if length == "end":
        return
    require(
        max_positions > 2,
        f"length is {length} and max_positions {max_positions}: there is no place beside BOS and "
        "EOS",
    )
    require(
        memory in ("last", "first"),
        f"length is {length} and memory is {memory}: it is predicted from what one encoder layer "
        "says of the source, and not from several",
    )
