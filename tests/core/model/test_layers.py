"""A layer against its formulas in float64, and what its residual blocks say of themselves."""

from dataclasses import replace

import pytest
import torch

from core.heads import Site
from core.model import Record, Step
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
