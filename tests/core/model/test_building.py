import torch

from core.config import ModelConfig
from core.model.building import build, count_parameters, outline, unfilled

CONFIG = ModelConfig(23, 1, 1, d_model=16, d_ff=32, n_heads=2, max_positions=20)


def test_a_seed_makes_the_same_weights_and_torchs_own_state_stays():
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    first, again, other = build(CONFIG, 1), build(CONFIG, 1), build(CONFIG, 2)
    assert torch.equal(torch.random.get_rng_state(), before)
    weights = [model.encoder[0].feed_forward.expand.weight for model in (first, again, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_an_outline_has_the_shapes_of_all_weights_and_no_numbers():
    shapes = {name: each.shape for name, each in outline(CONFIG).state_dict().items()}
    made = build(CONFIG).state_dict()
    assert shapes == {name: each.shape for name, each in made.items()}
    assert shapes == {name: each.shape for name, each in unfilled(CONFIG).state_dict().items()}
    assert all(each.is_meta for each in outline(CONFIG).parameters())
    assert count_parameters(CONFIG) == sum(each.numel() for each in build(CONFIG).parameters())
