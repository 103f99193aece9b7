import pytest

from core.config import ModelConfig


@pytest.mark.parametrize(
    ("n_encoder", "n_decoder", "is_so"),
    [(2, 2, (True, False, False)), (0, 2, (False, True, False)), (2, 0, (False, False, True))],
)
def test_the_stacks_that_have_layers_decide_the_kind(n_encoder, n_decoder, is_so):
    config = ModelConfig(vocab_size=9, n_encoder_layers=n_encoder, n_decoder_layers=n_decoder)
    assert (config.is_encoder_decoder, config.is_decoder_only, config.is_encoder_only) == is_so


def test_what_never_follows_a_word_fills_up_begins_or_masks():
    assert ModelConfig(300).never_said == (0, 1)
    assert ModelConfig(300, decoder="parallel").never_said == (0, 1, 299)
    # Where a model has no BOS, and ends with what fills up.
    opened = ModelConfig(300, n_encoder_layers=0, bos_id=-1, pad_id=5, eos_ids=(5,))
    assert (opened.never_said, opened.begins) == ((), ())


def test_the_mask_is_the_last_token_of_the_vocabulary_that_is_written_in():
    config = ModelConfig(300, target_vocab_size=200, tied="target", decoder="parallel")
    assert (config.n_target_tokens, config.mask_id) == (200, 199)
