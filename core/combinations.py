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
        "memory is {memory}: it needs a decoder with cross-attention, and none "
        "that begins with the last layer's state (gru or lstm)",
        memory=memory,
    )
    require(
        memory != "same" or depths[0] == depths[1],
        "memory is same: {n} encoder layers and {n_decoder} decoder layers "
        "have no depths in common throughout",
        n=depths[0],
        n_decoder=depths[1],
    )
    require(
        memory == "first" or not batch_norm_before,
        "memory is {memory}, and norm_kind is batch before the sublayers: the "
        "final norm would have the statistics of several layers at once",
        memory=memory,
    )


def check_positions(
    positions: Positions, d_k: int, buckets: tuple[int, int], rotary_scaling: Sequence[float]
) -> None:
    """Refuse sizes that positions cannot be told in.

    Args:
        positions: How they are told.
        d_k: Width of a head's queries and keys.
        buckets: How many of distances, and from which distance on all are in the last.
        rotary_scaling: None, or four numbers.

    Raises:
        ConfigError: They do not go together.
    """
    require(
        positions != "rotary" or d_k % 2 == 0,
        "d_k is {d_k}: rotary positions turn pairs and need an even width",
        d_k=d_k,
    )
    n_buckets, max_distance = buckets
    require(
        positions != "buckets" or (n_buckets >= 4 and n_buckets % 4 == 0),
        "n_buckets is {n_buckets}, not a multiple of 4",
        n_buckets=n_buckets,
    )
    require(
        positions != "buckets" or max_distance > n_buckets // 2,
        "max_distance is {value}: half of {n_buckets} buckets are for single distances, and others "
        "must be left",
        value=max_distance,
        n_buckets=n_buckets,
    )
    four = len(rotary_scaling) == 4 and min(rotary_scaling) > 0
    require(
        not rotary_scaling or (four and rotary_scaling[1] < rotary_scaling[2]),
        "rotary_scaling is {value}, not four numbers above 0, the third above the second",
        value=list(rotary_scaling),
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
        "positions is {positions}, and scores is {scores}: these positions are "
        "told in the dot products of queries and keys",
        positions=positions,
        scores=scores,
    )
    require(
        score_scale == "width",
        "score_scale is {score_scale}, and scores is {scores}: only dot products are divided",
        score_scale=score_scale,
        scores=scores,
    )
    require(attends, "scores is {scores}, and nothing is attended to", scores=scores)


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
        "shared is {shared}: {n_heads} heads have {n_sets} sets of keys and "
        "values, which are no queries",
        shared=shared,
        n_heads=n_heads,
        n_sets=n_sets,
    )
    require(
        "v" not in shared or d_k == d_v,
        "shared is {shared}: keys are {d_k} wide and values {d_v}",
        shared=shared,
        d_k=d_k,
        d_v=d_v,
    )
    if not projections:
        require(
            shared == "nothing",
            "shared is {shared}, and projections is False: there is no matrix to share",
            shared=shared,
        )
        require(
            n_sets == n_heads and n_heads * d_k == d_model,
            "projections is False: {n_heads} heads of width {d_k} and {n_sets} "
            "sets of keys and values do not share d_model, {d_model}, evenly",
            n_heads=n_heads,
            d_k=d_k,
            n_sets=n_sets,
            d_model=d_model,
        )
    require(
        (projections and output_projection) or n_heads * d_v == d_model,
        "{n_heads} heads of width {d_v} do not make d_model, {d_model}, without a projection",
        n_heads=n_heads,
        d_v=d_v,
        d_model=d_model,
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
            "length is {length}, and decoder is {decoder}: it writes up to EOS, "
            "and only a parallel decoder has to know beforehand",
            length=length,
            decoder=decoder,
        )
        return
    require(
        attends,
        "decoder is {decoder}: it needs an encoder, and self-attention in the "
        "decoder, for every place looks at all others",
        decoder=decoder,
    )
    require(
        max_positions > 1,
        "decoder is {decoder} and max_positions 1: there is no place beside BOS",
        decoder=decoder,
    )
    if length == "end":
        return
    require(
        max_positions > 2,
        "length is {length} and max_positions {max_positions}: there is no "
        "place beside BOS and EOS",
        length=length,
        max_positions=max_positions,
    )
    require(
        memory in ("last", "first"),
        "length is {length} and memory is {memory}: it is predicted from what "
        "one encoder layer says of the source, and not from several",
        length=length,
        memory=memory,
    )
