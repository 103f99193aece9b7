from dataclasses import replace

import pytest

from core.config import ConfigError, ModelConfig

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4)


@pytest.mark.parametrize("most", [0, 1, 20])
def test_as_many_names_as_there_are_words_can_share_a_vector(most):
    assert replace(CONFIG, shared_names=most).shared_names == most


@pytest.mark.parametrize("n", [-1, 21])
def test_no_more_names_than_words_can_be_shared(n):
    with pytest.raises(ConfigError, match=f"shared_names is {n}, not 0"):
        replace(CONFIG, shared_names=n)


@pytest.mark.parametrize("name", ["pointer", "shared_names"])
def test_a_model_of_one_stack_copies_nothing(name):
    with pytest.raises(ConfigError, match=f"{name} is .*: it needs an encoder and a decoder"):
        replace(CONFIG, n_decoder_layers=0, **{name: 1 if name == "shared_names" else True})


def test_a_pointer_needs_cross_attention():
    recurrent = replace(CONFIG, decoder_mixing="gru", cross="none")
    with pytest.raises(ConfigError, match="pointer is True and cross is none"):
        replace(recurrent, pointer=True)
    assert replace(recurrent, cross="attention", pointer=True).pointer


@pytest.mark.parametrize("memory", ["same", "mixed"])
def test_a_pointer_reads_one_encoder_layer(memory):
    with pytest.raises(ConfigError, match=f"pointer is True and memory is {memory}"):
        replace(CONFIG, memory=memory, pointer=True)
    assert replace(CONFIG, memory="first", pointer=True).pointer
