import numpy as np
import pytest
import torch
from torch import nn

from core.config import ModelConfig
from core.describe.modules import add_norm
from core.describe.parts import Lengths, Sketch
from core.model.norm import LayerNorm

D = 12


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.fixture
def norm():
    """With a gain and a bias unlike those that a training begins with."""
    found = LayerNorm(D).double()
    with torch.no_grad():
        found.weight.copy_(drawn(D, seed=1))
        found.bias.copy_(drawn(D, seed=2))
    return found


def test_a_norm_is_its_formula_over_the_features_of_each_position(norm):
    x_BKD = drawn(2, 3, D) * 5 + 2
    x, gain, bias = (each.detach().numpy() for each in (x_BKD, norm.weight, norm.bias))
    mean = x.sum(-1, keepdims=True) / D
    variance = ((x - mean) ** 2).sum(-1, keepdims=True) / D
    by_hand = (x - mean) / np.sqrt(variance + 1e-5) * gain + bias
    np.testing.assert_allclose(norm(x_BKD).detach(), by_hand, rtol=1e-12, atol=1e-12)


class Scaled(nn.Module):
    """A norm of another kind, that says nothing of itself."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(D))


def sketched(norm):
    """Return the sketch in which a norm was described after the tokens."""
    sketch = Sketch(Lengths(source=5, target=4), ModelConfig(9, d_model=D, n_heads=1))
    sketch.begin("encoder", "source", "Source")
    add_norm(norm, sketch, "encoder.norm", "Norm", "{place}: Norm", (LayerNorm,))
    return sketch


@pytest.mark.parametrize(
    ("norm", "learned", "said"), [(LayerNorm(D), 2 * D, True), (Scaled(), D, False)]
)
def test_a_norm_of_any_kind_is_drawn_with_what_it_says_of_itself(norm, learned, said):
    sketch = sketched(norm)
    [part] = sketch.nodes[1:]
    assert (part.id, part.kind, part.parameters) == ("encoder.norm", "norm", learned)
    assert part.shapes == (("input", (5, D)), ("output", (5, D)))
    assert (bool(part.formula), bool(part.count)) == (said, said)
    assert part.code == (LayerNorm, type(norm))
    [arrow] = sketch.arrows
    assert (arrow.kind, arrow.start, arrow.end) == ("flow", "source", "encoder.norm")
