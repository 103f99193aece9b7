import pytest
import torch
from torch import nn

from core.config import ModelConfig
from core.model import build
from core.model.building import outline
from core.model.nothing_drawn import NothingDrawn

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20)
VARIED = ModelConfig(
    **{"vocab_size": 23, "d_model": 16, "d_ff": 32, "n_heads": 4, "scores": "additive"},
    **{"positions": "learned", "encoder_mixing": "gru_two_way"},
)


@pytest.mark.parametrize("config", [CONFIG, VARIED])
def test_a_model_is_made_without_a_random_number(config):
    state = torch.get_rng_state()
    with NothingDrawn():
        made = type(build(config))(config)
    assert torch.equal(torch.get_rng_state(), state)
    shapes = {name: each.shape for name, each in made.state_dict().items()}
    assert shapes == {name: each.shape for name, each in outline(config).state_dict().items()}


def test_outside_of_it_numbers_are_drawn_as_ever():
    with NothingDrawn():
        pass
    assert nn.init.uniform_(torch.zeros(9)).any()
