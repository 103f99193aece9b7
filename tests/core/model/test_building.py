from dataclasses import replace

import pytest
import torch

from core.config import ModelConfig
from core.config.published import PAPER_BASE
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


TABLE_3 = {
    "base": ({}, 65.1, 65),
    "B d_k=16": ({"d_k": 16}, 58.0, 58),
    "B d_k=32": ({"d_k": 32}, 60.4, 60),
    "C N=2": ({"n_encoder_layers": 2, "n_decoder_layers": 2}, 35.7, 36),
    "C N=4": ({"n_encoder_layers": 4, "n_decoder_layers": 4}, 50.4, 50),
    "C N=8": ({"n_encoder_layers": 8, "n_decoder_layers": 8}, 79.8, 80),
    "C d_model=256": ({"d_model": 256, "d_k": 32, "d_v": 32}, 27.9, 28),
    "C d_model=1024": ({"d_model": 1024, "d_k": 128, "d_v": 128}, 168.0, 168),
    "C d_ff=1024": ({"d_ff": 1024}, 52.5, 53),
    "C d_ff=4096": ({"d_ff": 4096}, 90.3, 90),
}
"""Row → what differs from base, and millions of parameters as counted here and as published."""


@pytest.mark.parametrize("row", TABLE_3)
def test_the_published_counts_of_base_b_and_c_come_out_when_rounded(row):
    changes, counted, published = TABLE_3[row]
    found = count_parameters(replace(PAPER_BASE, **changes)) / 1e6
    assert (round(found, 1), round(found)) == (counted, published)
