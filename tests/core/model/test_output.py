from dataclasses import replace

import pytest
import torch
from torch.nn import functional

from core.config import ModelConfig
from core.describe import describe
from core.model import build
from core.model.output import OutputTransform

SMALL = ModelConfig(23, 1, 0, 16, 32, 4, activation="gelu", head_transform=True)


def test_the_transform_is_a_norm_of_the_activated_layer():
    transform = OutputTransform(SMALL).double()
    x_BKD = torch.randn(2, 3, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    dense = x_BKD @ transform.dense.weight.T + transform.dense.bias
    activated = dense * 0.5 * (1 + torch.erf(dense / 2**0.5))
    torch.testing.assert_close(transform(x_BKD), functional.layer_norm(activated, (16,)))


@pytest.mark.parametrize("scaled", [True, False])
def test_scores_are_products_with_the_output_matrix(scaled):
    config = replace(SMALL, head_transform=False, logit_scale=scaled, logit_bias=True)
    model = build(config, seed=1).eval()
    x_BKD = torch.randn(2, 3, 16, generator=torch.Generator().manual_seed(2))
    factor = 16**-0.5 if scaled else 1.0
    wanted = factor * x_BKD @ model.output.weight.T + model.output.bias
    torch.testing.assert_close(model.scores(x_BKD), wanted)


def test_the_description_has_the_transform_before_the_output():
    ids = describe(SMALL, 3, 3).ids
    assert ids[-3:] == ("output_transform", "output", "softmax")
