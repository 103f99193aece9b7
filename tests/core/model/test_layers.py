"""A layer against its formulas in float64, and what its residual blocks say of themselves."""

from dataclasses import replace

import pytest
import torch

from core.heads import Site
from core.model import Record, Step
from core.model.dropout import Dropout
from core.model.layers import Residual

NORMS = pytest.mark.parametrize("norm", ["post", "pre"])


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def randomised(module):
    """The module in float64, with all that is learned drawn anew: gains and biases too."""
    module.double().eval()
    with torch.no_grad():
        for number, parameter in enumerate(module.parameters()):
            parameter.copy_(drawn(*parameter.shape, seed=number) / 2)
    return module


@NORMS
def test_a_sublayer_works_on_the_step_that_its_residual_names(small_config, norm):
    residual = randomised(Residual(replace(small_config, norm=norm), Site("encoder", 0, "self")))
    worked_on = []

    def sublayer(x_BKD):
        worked_on.append(x_BKD.detach())
        return 2 * x_BKD

    record = Record(frozenset(Step))
    residual(drawn(2, 3, small_config.d_model), sublayer, record)
    [given_BKD] = worked_on
    assert torch.equal(record.tensors[residual.site, residual.input_step], given_BKD)
    other = {Step.AFTER_NORM, Step.STREAM_IN} - {residual.input_step}
    assert not torch.equal(record.tensors[residual.site, other.pop()], given_BKD)


@NORMS
def test_dropout_falls_on_what_is_added_and_never_on_the_stream(small_config, norm):
    config = replace(small_config, norm=norm, dropout=0.5)
    residual = randomised(Residual(config, Site("encoder", 0, "self"))).train()
    record = Record(frozenset(Step))
    x_BKD = drawn(1, 40, config.d_model)
    residual(x_BKD, torch.ones_like, record)
    added_BKD = record.tensors[residual.site, Step.ADDED]
    assert set(added_BKD.unique().tolist()) == {0.0, 2.0}
    summed = Step.STREAM_OUT if norm == "pre" else Step.BEFORE_NORM
    assert torch.equal(record.tensors[residual.site, summed], x_BKD + added_BKD)


SHAPE = (64, 31, 129)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_is_left_out_and_the_mean_stays(share):
    torch.manual_seed(0)
    out = Dropout(share)(torch.ones(SHAPE))
    n = out.numel()
    spread = (share * (1 - share) / n) ** 0.5
    assert (out == 0).float().mean().item() == pytest.approx(share, abs=5 * spread + 1e-5)
    assert out.mean().item() == pytest.approx(1, abs=5 * spread / (1 - share) + 1e-5)
    assert len(out.unique()) == 2


def test_neighbours_are_left_out_independently():
    """Four values share one draw of 64 bits."""
    torch.manual_seed(1)
    kept = Dropout(0.5)(torch.ones(400_000)) > 0
    for distance in (1, 2, 3, 4):
        together = (kept[:-distance] & kept[distance:]).float().mean().item()
        assert together == pytest.approx(0.25, abs=0.005)


def test_gradients_go_where_values_went():
    torch.manual_seed(2)
    x = torch.randn(7, 13, requires_grad=True)
    out = Dropout(0.3)(x)
    out.sum().backward()
    assert torch.equal(x.grad == 0, out == 0)
    kept = out != 0
    torch.testing.assert_close(x.grad[kept], (out / x.detach())[kept])


def test_nothing_is_left_out_when_evaluating_or_at_share_0():
    x = torch.randn(5, 5)
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0)(x) is x
