import pytest
import torch

from tests.core.families.both import assert_equal, opened
from tests.core.families.random_models import V, drawn


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


def test_a_target_begins_with_padding_and_sees_it():
    ours = opened(drawn("marian"))
    pad = ours.config.pad_id
    with torch.no_grad():
        one, other = (ours(torch.tensor([[5, 6]]), torch.tensor([[pad, each]])) for each in (7, 8))
    assert torch.equal(one[:, 0], other[:, 0])
    assert one.isfinite().all()
