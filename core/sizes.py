"""How large a model may be at most: said of its settings, before anything is made from them.

A few digits in a file would otherwise fill the memory, or keep a page busy for minutes.
"""

from collections.abc import Mapping

from core.settings import require

MOST_LAYERS = 256
"""Of both stacks together; the deepest published models have half as many."""
LARGEST_SIZE = 1 << 24
"""Of a vocabulary, a width, a count of positions; matrices of two such can still be spoken of."""
LARGEST_TABLE = 1 << 24
"""Numbers in a table of positions that is computed, and therefore in no file."""

_LEAST = dict.fromkeys(
    ("vocab_size", "d_model", "d_ff", "n_heads", "max_positions", "max_distance"), 1
) | {"pad_id": -1, "bos_id": -1}


def check_sizes(sizes: Mapping[str, int], *, has_table: bool) -> None:
    """Refuse sizes of which no model can be made, or none on a machine that runs this.

    Args:
        sizes: Every setting that is a whole number.
        has_table: Whether a table of positions is computed.

    Raises:
        ConfigError: One is too small or too large, or some are together.
    """
    for name, value in sizes.items():
        least = _LEAST.get(name, 0)
        require(
            value >= least,
            "{name} is {value}, not {least} or more",
            name=name,
            value=value,
            least=least,
        )
        require(
            value <= LARGEST_SIZE,
            "{name} is {value}, more than {most}",
            name=name,
            value=value,
            most=LARGEST_SIZE,
        )
    n_layers = sizes["n_encoder_layers"] + sizes["n_decoder_layers"]
    require(n_layers > 0, "n_encoder_layers and n_decoder_layers are 0: there is no layer")
    require(
        n_layers <= MOST_LAYERS,
        "there are {n} layers, more than {most}",
        n=n_layers,
        most=MOST_LAYERS,
    )
    for name in ("d_k", "d_v"):
        require(
            sizes["n_heads"] * sizes[name] <= LARGEST_SIZE,
            "{name} is {value}: {n} heads are together wider than {most}",
            name=name,
            value=sizes[name],
            n=sizes["n_heads"],
            most=LARGEST_SIZE,
        )
    n_positions, d_model = sizes["max_positions"], sizes["d_model"]
    require(
        not has_table or n_positions * d_model <= LARGEST_TABLE,
        "max_positions is {n} and d_model {d_model}: a table of positions has at most {most} "
        "numbers",
        n=n_positions,
        d_model=d_model,
        most=LARGEST_TABLE,
    )
