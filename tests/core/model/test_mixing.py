import torch
from torch import nn
from torch.nn import functional as F

from core.config import ModelConfig
from core.heads import Site
from core.model.masks import padding_mask
from core.model.mixing import Average, Convolution
from core.model.sublayers import LayerInputs
from tests.core.model.test_every_kind import (
    TARGET_BT,
)

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20)


def test_the_average_is_attention_with_equal_scores():
    x_BKD = torch.randn(3, 6, 16, dtype=torch.float64)
    for stack, visible_BQK in (
        ("encoder", padding_mask(TARGET_BT.masked_fill(TARGET_BT > 7, 0))),
        ("decoder", torch.ones(1, 6, 6, dtype=torch.bool).tril()),
    ):
        average = Average(CONFIG, Site(stack, 0, "mixing")).double()
        found = average.added(x_BKD, LayerInputs(visible_BQK), None)
        zeros_BQE = torch.zeros(3, 6, 16, dtype=torch.float64)
        mean_BKD = F.scaled_dot_product_attention(
            zeros_BQE, zeros_BQE, x_BKD, attn_mask=visible_BQK.expand(3, 6, 6)
        )
        torch.testing.assert_close(found, average.value(mean_BKD))


def test_the_convolution_is_that_of_torch():
    x_BKD = torch.randn(3, 6, 16, dtype=torch.float64)
    for stack, padding in (("encoder", (1, 1)), ("decoder", (2, 0))):
        ours = Convolution(CONFIG, Site(stack, 0, "mixing")).double()
        theirs = nn.Conv1d(16, 16, 3).double()
        with torch.no_grad():
            theirs.weight.copy_(ours.value.weight.unflatten(1, (3, 16)).transpose(1, 2))
            theirs.bias.copy_(ours.value.bias)
        expected = theirs(F.pad(x_BKD.transpose(1, 2), padding)).transpose(1, 2)
        inputs = LayerInputs(torch.ones(1, 1, 6, dtype=torch.bool))
        torch.testing.assert_close(ours.added(x_BKD, inputs, None), expected)
