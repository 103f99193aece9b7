import pytest
import torch

from core.config import ModelConfig
from core.model import build


@pytest.fixture
def small_config():
    """Encoder and decoder of different depth, d_k and d_v unlike each other and d_model / h."""
    return ModelConfig(
        vocab_size=23,
        n_encoder_layers=3,
        n_decoder_layers=2,
        d_model=16,
        d_ff=32,
        n_heads=4,
        d_k=5,
        d_v=3,
        dropout=0.3,
        max_positions=20,
    )


@pytest.fixture
def model(small_config):
    return build(small_config, seed=1).eval()


@pytest.fixture
def batch():
    """Sources and targets of different lengths; 0 is padding, 1 begins a target."""
    source_BS = torch.tensor([[4, 5, 6, 7, 8, 2], [9, 10, 2, 0, 0, 0], [3, 2, 0, 0, 0, 0]])
    target_BT = torch.tensor([[1, 5, 6, 7, 0], [1, 9, 0, 0, 0], [1, 4, 5, 6, 7]])
    return source_BS, target_BT
