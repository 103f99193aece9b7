import pytest

from core.config import ConfigError, ModelConfig
from core.families.published import PUBLISHED
from core.families.styles import STYLES, in_style, style_named
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


@pytest.mark.parametrize(
    ("style", "name"),
    [
        ("bert", "bert-base"),
        ("gpt2", "gpt2"),
        ("llama", "llama-7b"),
        ("marian", "opus-mt-en-fr"),
        ("t5", "t5-small"),
    ],
)
def test_a_published_model_differs_from_its_style_in_sizes_and_special_tokens_only(style, name):
    """The published counts are held in test_published; here it is that nothing else differs."""
    [published] = [each.config for each in PUBLISHED if each.name == name]
    sizes = ("vocab_size", "n_encoder_layers", "n_decoder_layers", "d_model", "d_ff", "n_heads")
    sizes += ("d_k", "d_v", "max_positions", "n_segments", "pad_id", "dropout")
    made = in_style(style, SIZES)
    assert {n: v for n, v in made.to_dict().items() if n not in sizes} == {
        n: v for n, v in published.to_dict().items() if n not in sizes
    }


def test_an_unknown_kind_is_refused_by_the_names_of_those_that_are_known():
    with pytest.raises(ConfigError, match="like is 'roberta', not bert, gpt2, llama, marian or t5"):
        style_named("roberta")
    assert all(each.steps >= 1 for each in STYLES.values())
