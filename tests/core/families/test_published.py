import pytest
from transformers import (
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    BertConfig,
    GPT2Config,
    LlamaConfig,
    MarianConfig,
    T5Config,
)

from core.describe import describe
from core.families.published import PUBLISHED
from core.model import count_parameters

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


def as_transformers(name):
    """Return the shapes of the same model in the other library."""
    found = of(name).config
    sizes = {"vocab_size": found.vocab_size}
    if name.startswith("bert"):
        sizes |= {"hidden_size": found.d_model, "intermediate_size": found.d_ff}
        heads = {"num_attention_heads": found.n_heads}
        return AutoModelForMaskedLM, BertConfig(
            **sizes, **heads, num_hidden_layers=found.n_encoder_layers
        )
    if name.startswith("gpt2"):
        config = GPT2Config(n_embd=found.d_model, n_layer=found.n_decoder_layers)
        config.n_head = found.n_heads
        return AutoModelForCausalLM, config
    if name.startswith("t5"):
        layers = {"num_layers": found.n_encoder_layers, "num_heads": found.n_heads}
        widths = {"d_model": found.d_model, "d_ff": found.d_ff}
        return AutoModelForSeq2SeqLM, T5Config(**sizes, **layers, **widths)
    if name.startswith("opus"):
        layers = {"encoder_layers": 6, "decoder_layers": 6, "max_position_embeddings": 512}
        widths = {"d_model": 512, "encoder_ffn_dim": 2048, "decoder_ffn_dim": 2048}
        pad = {"pad_token_id": found.pad_id, "decoder_start_token_id": found.pad_id}
        vocabulary = {"decoder_vocab_size": found.vocab_size}
        return AutoModelForSeq2SeqLM, MarianConfig(**sizes, **vocabulary, **layers, **widths, **pad)
    widths = {"hidden_size": found.d_model, "intermediate_size": found.d_ff}
    heads = {"num_attention_heads": found.n_heads, "num_key_value_heads": found.n_key_value_sets}
    return AutoModelForCausalLM, LlamaConfig(
        **sizes,
        **widths,
        **heads,
        num_hidden_layers=found.n_decoder_layers,
        tie_word_embeddings=found.tied == "all",
        pad_token_id=None,
    )


@pytest.mark.parametrize("name", [e.name for e in PUBLISHED if not e.name.startswith("paper")])
def test_transformers_counts_the_same(name):
    import torch

    kind, config = as_transformers(name)
    with torch.device("meta"):
        model = kind.from_config(config)
    n = sum(each.numel() for each in model.parameters() if each.requires_grad)
    # Marian keeps the bias of its words in a buffer.
    n += sum(each.numel() for key, each in model.named_buffers() if key == "final_logits_bias")
    assert n == of(name).parameters


@by_name
def test_every_part_of_it_can_be_described(name):
    config = of(name).config
    found = describe(config, 16, 16)
    assert found.parameters == count_parameters(config)
    assert found.stacks == {stack: config.layers_of(stack) for stack in config.stacks}
    assert sum(found.by_group().values()) == found.parameters
