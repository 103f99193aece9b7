import pytest

from core.config import ModelConfig
from core.config.published import PUBLISHED
from core.config.styles import in_style
from core.model import build, count_parameters

SIZES = ModelConfig(vocab_size=40, n_encoder_layers=2, n_decoder_layers=3, d_model=16, d_ff=24)


@pytest.mark.parametrize(
    ("name", "layers"),
    [("bert", (5, 0)), ("gpt2", (0, 5)), ("llama", (0, 5)), ("marian", (2, 3)), ("t5", (2, 3))],
)
def test_a_single_stack_has_the_layers_of_both(name, layers):
    config = in_style(name, SIZES)
    assert (config.n_encoder_layers, config.n_decoder_layers) == layers
    assert (config.d_model, config.d_ff, config.n_heads) == (16, 24, SIZES.n_heads)
    assert in_style(name, config) == config
    assert count_parameters(config) == sum(each.numel() for each in build(config).parameters())


by_name = pytest.mark.parametrize("name", [each.name for each in PUBLISHED])


def of(name):
    return next(each for each in PUBLISHED if each.name == name)


@by_name
def test_the_published_count_comes_out(name):
    published = of(name)
    counted = count_parameters(published.config)
    if name.startswith("paper"):
        assert round(counted / 1e6) == published.parameters / 1e6
    else:
        assert counted == published.parameters
