import pytest

from core.config import ModelConfig


@pytest.mark.parametrize(
    ("n_encoder", "n_decoder", "alone"), [(2, 2, None), (0, 2, "decoder"), (2, 0, "encoder")]
)
def test_a_single_stack_is_said_to_be_alone(n_encoder, n_decoder, alone):
    config = ModelConfig(vocab_size=9, n_encoder_layers=n_encoder, n_decoder_layers=n_decoder)
    assert config.alone == alone
    assert (config.is_decoder_alone, config.is_encoder_alone) == (
        alone == "decoder",
        alone == "encoder",
    )
