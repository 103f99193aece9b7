import pytest
import torch

from core.families import FAMILIES, FamilyError, load
from tests.core.families.both import assert_equal, opened
from tests.core.families.random_models import V, drawn, told, weights


@pytest.mark.parametrize(
    "more",
    [
        {"decoder_vocab_size": V + 7, "share_encoder_decoder_embeddings": False},
        {"activation_function": "relu", "scale_embedding": False},
        {"encoder_layers": 1, "decoder_layers": 1},
    ],
)
def test_its_variants_equal_those_of_transformers(more):
    assert_equal("marian", **more)


def test_two_vocabularies_are_two_embeddings():
    more = {"decoder_vocab_size": V + 7, "share_encoder_decoder_embeddings": False}
    config = opened(drawn("marian", **more)).config
    assert (config.vocab_size, config.target_vocab_size, config.tied) == (V, V + 7, "target")
    assert opened(drawn("marian")).config.tied == "all"


def test_a_target_begins_with_padding_and_sees_it():
    ours = opened(drawn("marian"))
    pad = ours.config.pad_id
    with torch.no_grad():
        one, other = (ours(torch.tensor([[5, 6]]), torch.tensor([[pad, each]])) for each in (7, 8))
    assert torch.equal(one[:, 0], other[:, 0])
    assert one.isfinite().all()


def test_stacks_of_different_sizes_are_refused():
    model = drawn("marian")
    with pytest.raises(FamilyError, match="decoder_ffn_dim is 41; only 40 is known"):
        load(FAMILIES["marian"], told(model) | {"decoder_ffn_dim": 41}, weights(model))
