import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from core.config import ModelConfig
from core.heads import Site
from core.model import Record
from core.model.attention import MultiHeadAttention
from core.model.recurrence import Recurrence
from core.model.sublayers import LayerInputs
from core.studies.lessons.counts import UNITS, cost

SITE = Site("encoder", 0, "self")
OTHER = {"attention": {}, "linear": {"scores": "linear"}, "gru": {"encoder_mixing": "gru"}}


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("unit", UNITS)
def test_multiplications_are_those_of_the_models_modules(unit, n):
    sizes = {"d_model": 24, "n_heads": 4, "n_kv_heads": 2, "d_k": 5, "d_v": 3}
    config, x_1ND = ModelConfig(9, **sizes, **OTHER[unit]), torch.randn(1, n, 24)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        if unit == "gru":
            Recurrence(config, SITE).added(x_1ND, LayerInputs(None), None)
        else:
            attention = MultiHeadAttention(config, SITE)
            # Fused kernels of dot products are not counted.
            probe = Record() if unit == "attention" else None
            attention(x_1ND, attention.keys_values(x_1ND), None, probe)
    # A multiplication and an addition are two operations.
    assert counter.get_total_flops() == 2 * cost(config, unit, n).multiplications
