from dataclasses import replace

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.describe import describe
from core.model import build
from core.model.positional import Embedding, sinusoids


def formula(n_positions, d_model):
    """The paper's formula, cell by cell, in float64."""
    table = np.empty((n_positions, d_model))
    for pos in range(n_positions):
        for pair in range(d_model // 2):
            angle = pos / 10000 ** (2 * pair / d_model)
            table[pos, 2 * pair : 2 * pair + 2] = np.sin(angle), np.cos(angle)
    return table


def test_sinusoids_meet_the_check_value():
    expected = [0.9093, -0.4161, 0.1987, 0.9801, 0.0200, 0.9998, 0.0020, 0.999998]
    assert sinusoids(3, 8)[2].tolist() == pytest.approx(expected, abs=5e-5)


def test_sinusoids_follow_the_formula_far_out():
    assert sinusoids(2000, 64).numpy() == pytest.approx(formula(2000, 64), abs=1e-7)


def test_dot_product_of_positions_depends_on_their_distance_only_and_not_on_its_sign():
    table_PD = sinusoids(64, 32).double()
    products = table_PD @ table_PD.T
    for distance in (1, 5, 20):
        assert torch.diagonal(products, distance).std() < 1e-5
        right, left = torch.diagonal(products, distance), torch.diagonal(products, -distance)
        assert torch.allclose(right, left, atol=1e-12)


def embedding(positions, **changes):
    config = ModelConfig(
        vocab_size=11, d_model=8, d_ff=8, n_heads=2, max_positions=6, positions=positions, **changes
    )
    return Embedding(config, torch.nn.Embedding(11, 8), "encoder").eval()


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_embedding_is_scaled_and_positions_are_added(positions):
    layer = embedding(positions)
    ids_BK = torch.tensor([[3, 5, 3]])
    expected = layer.tokens.weight[ids_BK[0]] * 8**0.5 + layer.positions_PD[:3]
    assert torch.allclose(layer(ids_BK)[0], expected)


def test_embedding_can_start_at_a_later_position():
    layer = embedding("sinusoidal")
    ids_BK = torch.tensor([[1, 2, 3, 4]])
    assert torch.equal(layer(ids_BK)[:, 2:], layer(ids_BK[:, 2:], start=2))


def test_too_many_tokens_are_refused_with_both_numbers():
    with pytest.raises(ValueError, match="7 tokens are more than the model's 6 positions"):
        embedding("sinusoidal")(torch.ones(1, 7, dtype=torch.long))


def test_only_learned_positions_are_parameters():
    assert "positions_PD" in dict(embedding("learned").named_parameters())
    assert "positions_PD" not in embedding("sinusoidal").state_dict()


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


def test_the_description_says_which_tokens_are_read_as_one():
    config = ModelConfig(23, 1, 1, 16, 32, 4, shared_names=5)
    assert r"E_w = E_{18} \text{ for names, } w \ge 18" in (
        describe(config, 3, 3).part("encoder.embedding").formula
    )
    plain = describe(replace(config, shared_names=0), 3, 3).part("encoder.embedding")
    assert "names" not in plain.formula
