import pytest
import torch
from torch import nn

from core.decoding import maps
from core.decoding.maps import PlanError, known, linear, normalising, together
from core.model.attention import Unprojected
from core.model.norm import BatchNorm, LayerNorm, RMSNorm


def drawn(norm):
    """A norm unlike those that a training begins with."""
    with torch.no_grad():
        for each in norm.state_dict().values():
            each.add_(torch.rand_like(each))
    return norm.eval()


@pytest.mark.parametrize("norm", [LayerNorm(6), RMSNorm(6), BatchNorm(6), nn.Identity()])
def test_a_norm_as_a_function_is_the_module(norm):
    x_BD = torch.randn(5, 6)
    with torch.no_grad():
        torch.testing.assert_close(normalising("norm", drawn(norm))(x_BD), norm(x_BD))


@pytest.mark.parametrize("large", [0, 10**9])
@pytest.mark.parametrize("bias", [True, False])
def test_several_products_together_are_those_of_each(monkeypatch, large, bias):
    monkeypatch.setattr(maps, "LARGE", large)
    matrices, x_BD = [nn.Linear(6, n, bias) for n in (3, 4, 5)], torch.randn(5, 6)
    expected = torch.cat([each(x_BD) for each in matrices], dim=-1)
    torch.testing.assert_close(together("part", *matrices)(x_BD), expected)


def test_where_nothing_is_projected_vectors_go_on_as_they_are():
    x_BD = torch.randn(5, 6)
    assert linear("part", Unprojected(6))(x_BD) is x_BD
    assert torch.equal(together("part", *[Unprojected(6)] * 3)(x_BD), x_BD.repeat(1, 3))


@pytest.mark.parametrize(
    "asked",
    [
        lambda: normalising("decoder.norm", nn.GroupNorm(2, 6)),
        lambda: linear("decoder.norm", nn.Identity()),
        lambda: known("decoder.norm", nn.Identity(), nn.Linear),
        lambda: together("decoder.norm", nn.Linear(6, 3), nn.Linear(6, 3, False)),
    ],
)
def test_what_is_not_known_is_refused_by_name(asked):
    with pytest.raises(PlanError, match=r"no plan for decoder\.norm"):
        asked()
