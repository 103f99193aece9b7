import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from core.config import ModelConfig
from core.model.positional import RelativeBias, buckets


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("n_buckets", "max_distance"), [(32, 128), (8, 20)])
def test_buckets_are_those_of_transformers(causal, n_buckets, max_distance):
    distances = torch.arange(-300, 301)[None]
    theirs = T5Attention._relative_position_bucket(
        distances, bidirectional=not causal, num_buckets=n_buckets, max_distance=max_distance
    )
    assert torch.equal(buckets(distances, n_buckets, max_distance, causal=causal), theirs)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_last_queries_get_the_last_rows_of_the_whole(stack):
    torch.manual_seed(0)
    bias = RelativeBias(ModelConfig(9, d_model=8, n_heads=2, positions="buckets"), stack)
    whole = bias(6, 6)
    assert whole.shape == (1, 2, 6, 6)
    assert torch.equal(bias(2, 6), whole[:, :, 4:])


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_same_distance_has_the_same_bias(stack):
    torch.manual_seed(1)
    found = RelativeBias(ModelConfig(9, d_model=8, n_heads=2, positions="buckets"), stack)(9, 9)[0]
    for offset in range(-8, 9):
        diagonal = found.diagonal(offset, 1, 2)
        assert (diagonal == diagonal[:, :1]).all()
