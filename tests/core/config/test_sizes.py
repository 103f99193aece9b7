import pytest

from core.config import ConfigError, ModelConfig
from core.config.checks import LARGEST_SIZE, MOST_LAYERS
from core.model import count_parameters
from core.model.building import outline

SMALL = {"vocab_size": 11, "d_model": 8, "n_heads": 2, "d_ff": 8, "max_positions": 16}
ONE = {**SMALL, "n_encoder_layers": 1, "n_decoder_layers": 0}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_encoder_layers": 100_000}, "there are 100,006 layers, more than 256"),
        ({"n_encoder_layers": MOST_LAYERS, "n_decoder_layers": 1}, "there are 257 layers"),
        ({"vocab_size": 2**62}, "vocab_size is .*, not a number|vocab_size is .*, more than"),
        ({"d_ff": LARGEST_SIZE + 1}, "d_ff is 16,777,217, more than 16,777,216"),
        ({"max_positions": 10**9, "positions": "rotary"}, "max_positions is 1,000,000,000, more"),
        ({"n_heads": 2**20, "d_k": 64, "d_v": 1}, "d_k is 64: 1,048,576 heads"),
        ({"max_positions": 2**22, "d_model": 16}, "table of positions"),
        ({"max_positions": 2**22, "d_model": 16, "positions": "halves"}, "table of positions"),
    ],
)
def test_what_no_machine_can_make_is_refused_before_anything_is_made(settings, said):
    with pytest.raises(ConfigError, match=said):
        ModelConfig(**SMALL | settings)


@pytest.mark.parametrize("positions", ["rotary", "learned", "buckets"])
def test_a_table_that_is_not_computed_has_no_bound_of_its_own(positions):
    # Buckets and rotary positions have no table; a learned one is in a file.
    ModelConfig(**ONE | {"positions": positions, "max_positions": 2**24})


def test_the_largest_sizes_can_still_be_counted():
    wide = {"d_model": LARGEST_SIZE, "d_ff": LARGEST_SIZE, "vocab_size": LARGEST_SIZE}
    model = ModelConfig(**ONE | wide | {"max_positions": 1})
    d = LARGEST_SIZE
    # Tied embeddings; query, key, value, output; feed-forward; and a vector for each bias and norm.
    assert count_parameters(model) == d * d + 4 * (d * d + d) + 2 * (d * d + d) + 2 * 2 * d


def test_positions_that_are_turned_ask_for_no_memory():
    model = ModelConfig(**ONE | {"positions": "rotary", "max_positions": 2**24})
    assert "source_embedding.positions_PD" not in dict(outline(model).named_buffers())
