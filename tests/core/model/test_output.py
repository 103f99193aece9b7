"""What stands on top of a stack, against what is computed by hand."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from core.config import ModelConfig
from core.heads import Site
from core.model import Record, Step, build
from core.model.output import OutputTransform
from core.vocabulary import EOS, PAD

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


CONFIG = ModelConfig(23, 2, 2, 32, 64, 4, max_positions=20, decoder="parallel", length="predicted")
SOURCE_BS = torch.tensor([[5, 6, 7, EOS], [9, EOS, PAD, PAD]])
TARGET_BT = torch.tensor([[1, 5, 22, 7, 8, EOS], [1, 22, 9, EOS, PAD, PAD]])
SITE = Site("encoder", 1, "length")


def recorded(model, source_BS=SOURCE_BS):
    record = Record(frozenset({Step.LENGTH}), frozenset({SITE}))
    model(source_BS, TARGET_BT[: len(source_BS)], record)
    return record.tensors[SITE, Step.LENGTH]


def test_it_is_a_linear_layer_over_the_mean_of_the_memory_without_padding():
    model = build(CONFIG, seed=2).double().eval()
    memory_BSD = model.encode(SOURCE_BS).detach().numpy()
    weight, bias = (each.detach().numpy() for each in model.length.linear.parameters())
    for row, n in enumerate((4, 2)):
        expected_N = np.mean(memory_BSD[row, :n], axis=0) @ weight.T + bias
        np.testing.assert_allclose(recorded(model)[row], expected_N, atol=1e-12)
    alone = recorded(model, SOURCE_BS[1:, :2])
    torch.testing.assert_close(alone[0], recorded(model)[1])
