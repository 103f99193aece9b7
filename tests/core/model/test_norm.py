import numpy as np
import pytest
import torch
from torch import nn

from core.config import ModelConfig
from core.describe import describe
from core.describe.formulas import normalised
from core.describe.modules import add_norm
from core.describe.parts import Lengths, Sketch
from core.model import Record, build, count_parameters
from core.model.norm import NORM_KINDS, LayerNorm

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


def test_what_is_added_to_all_features_and_how_large_they_are_does_not_matter(norm):
    x_BKD = drawn(2, 3, D)
    np.testing.assert_allclose(
        norm(1000 * x_BKD + 7).detach(), norm(1000 * x_BKD).detach(), rtol=1e-8, atol=1e-8
    )
    # But for ε, which is nothing beside a large variance.
    np.testing.assert_allclose(
        norm(1000 * x_BKD).detach(), norm(1e5 * x_BKD).detach(), rtol=1e-6, atol=1e-6
    )


def test_a_vector_of_equal_features_becomes_the_bias(norm):
    found_KD = norm(torch.full((1, D), 3.25, dtype=torch.float64)).detach()
    assert torch.equal(found_KD[0], norm.bias)


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


def test_where_there_is_no_norm_none_is_drawn():
    sketch = sketched(nn.Identity())
    assert [node.id for node in sketch.nodes] == ["source"]
    assert not sketch.arrows


class Of_Two_Words(nn.Module):  # noqa: N801 -- TeX reads an underscore as an index
    """A norm whose name TeX would misread."""


@pytest.mark.parametrize(
    ("norm", "written"),
    [
        (LayerNorm(4), r"\mathrm{LayerNorm}(x_l)"),
        (nn.RMSNorm(4), r"\mathrm{RMSNorm}(x_l)"),
        (Of_Two_Words(), r"\mathrm{Of\_Two\_Words}(x_l)"),
        (nn.Identity(), "x_l"),
    ],
)
def test_a_formula_says_which_norm_there_is(norm, written):
    assert normalised(norm, "x_l") == written


@pytest.mark.parametrize(
    ("placed", "norm", "step"),
    [
        ("pre", nn.RMSNorm(16), r"x_l + \mathrm{Sublayer}_l(\mathrm{RMSNorm}(x_l))"),
        ("post", nn.RMSNorm(16), r"\mathrm{RMSNorm}(x_l + \mathrm{Sublayer}_l(x_l))"),
        ("pre", None, r"x_l + \mathrm{Sublayer}_l(\mathrm{LayerNorm}(x_l))"),
        ("post", None, r"\mathrm{LayerNorm}(x_l + \mathrm{Sublayer}_l(x_l))"),
        ("post", nn.Identity(), r"x_l + \mathrm{Sublayer}_l(x_l)"),
    ],
)
def test_the_step_of_a_residual_block_says_the_models_own_norm(placed, norm, step):
    model = build(ModelConfig(30, 1, 1, 16, 32, 4, norm=placed))
    for layer in model.layers():
        for _, residual in layer.blocks():
            residual.norm = norm or residual.norm
    assert {each.step for each in describe(model, 3, 4).sublayers} == {rf"x_{{l+1}} = {step}"}


@pytest.mark.parametrize("kind", NORM_KINDS)
@pytest.mark.parametrize("place", ["post", "pre"])
def test_every_kind_is_computed_alike_with_a_probe_and_counted_where_it_is_drawn(kind, place):
    config = ModelConfig(23, 1, 1, d_model=D, d_ff=16, n_heads=2, norm=place, norm_kind=kind)
    model = build(config, seed=1).eval()
    ids_BK = torch.tensor([[5, 6, 7]])
    looked = model(ids_BK, ids_BK, Record())
    torch.testing.assert_close(model(ids_BK, ids_BK), looked)
    parts = describe(config, 3, 3).parts
    assert all(part.formula and part.count for part in parts if part.kind == "norm")
    assert sum(part.parameters for part in parts) == count_parameters(config)
