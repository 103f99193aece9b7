from dataclasses import replace

import torch

from core.config import ModelConfig
from core.model.building import build, count_parameters, outline, unfilled
from core.model.paper import TABLE_3

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


ROWS = {row.name: row for row in TABLE_3}


def millions(config):
    return count_parameters(config) / 1e6


def test_the_ten_published_counts_of_base_b_and_c_come_out_when_rounded():
    found = [(round(millions(row.config)), row.millions) for row in TABLE_3[:-1]]
    assert len(found) == 10
    assert all(count == published for count, published in found)
    counts = [round(millions(row.config), 1) for row in TABLE_3[:-1]]
    assert counts == [65.1, 58.0, 60.4, 35.7, 50.4, 79.8, 27.9, 168.0, 52.5, 90.3]


def test_big_fits_neither_vocabulary_but_one_of_about_36_000():
    big = ROWS["big"]
    assert big.millions == 213
    assert round(millions(big.config)) != 213
    assert round(millions(replace(big.config, vocab_size=37_000))) != 213
    assert round(millions(replace(big.config, vocab_size=36_000))) == 213
