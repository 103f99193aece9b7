"""The norm over a batch, held to torch's on the positions that are no padding."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from core.config import ModelConfig
from core.model import build
from core.model.masks import decoder_mask, padding_mask
from core.model.norm import BatchNorm
from core.runs.checkpoint import load_model, save_rounded, save_weights

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20, norm_kind="batch", dropout=0.0)
SOURCE_BS = torch.tensor([[4, 5, 6, 7, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])
TARGET_BT = torch.tensor([[1, 5, 6, 7, 8, 9], [1, 9, 3, 0, 0, 0], [1, 4, 5, 6, 0, 0]])
IDS = {"source": SOURCE_BS, "target": TARGET_BT}
MASKS = {"source": padding_mask, "target": decoder_mask}


def learned(config, steps=3):
    """A model whose running means are those of a few batches."""
    model = build(config, seed=3).train()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.add_(0.5 * torch.randn_like(parameter))
        for _ in range(steps):
            model(SOURCE_BS, TARGET_BT)
    return model.eval()


@pytest.mark.parametrize("side", IDS)
def test_it_is_that_of_torch_on_the_positions_that_are_no_padding(side):
    ids_BK = IDS[side]
    ours, theirs = BatchNorm(16).double(), nn.BatchNorm1d(16).double()
    with torch.no_grad():
        for name in ("weight", "bias"):
            getattr(ours, name).copy_(torch.randn(16))
            getattr(theirs, name).copy_(getattr(ours, name))
    for _ in range(3):
        x_BKD = 3 * torch.randn(*ids_BK.shape, 16, dtype=torch.float64) + 1
        one, other = x_BKD.clone().requires_grad_(), x_BKD.clone().requires_grad_()
        found_BKD = ours(one, MASKS[side](ids_BK))
        expected_ND = theirs(other[ids_BK != 0])
        torch.testing.assert_close(found_BKD[ids_BK != 0], expected_ND)
        found_BKD[ids_BK != 0].square().sum().backward()
        expected_ND.square().sum().backward()
        torch.testing.assert_close(one.grad, other.grad)
        assert not one.grad[ids_BK == 0].any()
        for name in ("weight", "bias"):
            torch.testing.assert_close(getattr(ours, name).grad, getattr(theirs, name).grad)
        for name in ("running_mean", "running_var"):
            torch.testing.assert_close(getattr(ours, name), getattr(theirs, name))
    ours.eval()
    theirs.eval()
    x_BKD = torch.randn(3, 5, 16, dtype=torch.float64)
    expected_BKD = theirs(x_BKD.transpose(1, 2)).transpose(1, 2)
    torch.testing.assert_close(ours(x_BKD), expected_BKD)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_in_training_padding_changes_nothing_anywhere_in_a_model(norm):
    model = build(replace(CONFIG, norm=norm), seed=3).train()
    with torch.no_grad():
        logits_BTV = model(SOURCE_BS, TARGET_BT)
        longer = (nn.functional.pad(each, (0, 3)) for each in (SOURCE_BS, TARGET_BT))
        padded_BTV = model(*longer)[:, : TARGET_BT.shape[1]]
    words_BT = TARGET_BT != 0
    torch.testing.assert_close(padded_BTV[words_BT], logits_BTV[words_BT], atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize("save", [save_weights, save_rounded])
def test_a_file_keeps_the_running_means(tmp_path, save):
    model = learned(CONFIG)
    save(model, tmp_path / "weights")
    again = load_model(tmp_path / "weights", CONFIG)
    buffers = dict(model.named_buffers())
    names = [name for name in buffers if name.endswith(("running_mean", "running_var"))]
    # One norm around each of 2 · 2 and 2 · 3 sublayers.
    assert len(names) == 20
    assert buffers["decoder.1.residuals.2.norm.running_mean"].abs().min() > 0
    for name, buffer in again.named_buffers():
        assert torch.equal(buffer, buffers[name])
