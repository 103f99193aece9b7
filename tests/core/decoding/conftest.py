import pytest
import torch

from core.config import ModelConfig
from core.model import build
from core.vocabulary import EOS


@pytest.fixture
def model():
    """Untrained, so undecided: its distributions are far from one-hot."""
    return build(ModelConfig(30, 2, 2, 16, 32, 4, max_positions=24), seed=4).eval()


@pytest.fixture
def source_S():  # noqa: N802
    return torch.tensor([5, 9, 7, 11, EOS])
