"""Positions: sinusoids, learned tables, rotary turns, and biases of distances."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.models.t5.modeling_t5 import T5Attention

from core.config import ModelConfig
from core.model import build
from core.model.positional import Embedding, Rotary, buckets


def embedding(positions):
    config = ModelConfig(11, d_model=8, d_ff=8, n_heads=2, max_positions=6, positions=positions)
    return Embedding(config, torch.nn.Embedding(11, 8), "encoder").eval()


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_embedding_is_scaled_and_positions_are_added(positions):
    layer = embedding(positions)
    ids_BK = torch.tensor([[3, 5, 3]])
    expected = layer.tokens.weight[ids_BK[0]] * 8**0.5 + layer.positions_PD[:3]
    assert torch.allclose(layer(ids_BK)[0], expected)


def test_too_many_tokens_are_refused_with_both_numbers():
    with pytest.raises(ValueError, match="7 tokens are more than the model's 6 positions"):
        embedding("sinusoidal")(torch.ones(1, 7, dtype=torch.long))


def test_names_that_share_a_vector_are_read_as_the_first_of_them():
    config = ModelConfig(23, 1, 1, 16, 32, 4, shared_names=5, positions="none")
    model = build(config, seed=1).eval()
    ids = torch.arange(23)[None]
    read = model.source_embedding(ids)[0]
    torch.testing.assert_close(read[:19], model.source_embedding.tokens.weight[:19] * 4)
    assert torch.equal(read[18:], read[18:19].expand(5, -1))
    assert torch.equal(model.target_embedding(ids)[0], read)
    # What is written keeps a vector of its own.
    logits = model(torch.tensor([[20, 2]]), torch.tensor([[1, 19]]))[0, -1, 18:]
    assert len(set(logits.tolist())) == 5


E = 10
"""Width of a head."""


def rotary_config(**more):
    sizes = {"vocab_size": 9, "d_model": 20, "n_heads": 2, "positions": "rotary"}
    return ModelConfig(**sizes, **more)


def drawn(n, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(1, 2, n, E, generator=generator, dtype=torch.float64)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 200))
def test_a_dot_product_of_turned_vectors_knows_the_distance_alone(query, key, further):
    rotary, both = Rotary(rotary_config()), drawn(2, 3)

    def product(first, second):
        one, other = both[:, :, :1], both[:, :, 1:]
        return (rotary(one, first) * rotary(other, second)).sum(dim=-1)

    torch.testing.assert_close(
        product(query, key), product(query + further, key + further), atol=1e-10, rtol=0
    )


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("n_buckets", "max_distance"), [(32, 128), (8, 20)])
def test_buckets_are_those_of_transformers(causal, n_buckets, max_distance):
    distances = torch.arange(-300, 301)[None]
    theirs = T5Attention._relative_position_bucket(
        distances, bidirectional=not causal, num_buckets=n_buckets, max_distance=max_distance
    )
    assert torch.equal(buckets(distances, n_buckets, max_distance, causal=causal), theirs)
