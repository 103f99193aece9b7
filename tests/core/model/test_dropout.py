import pytest
import torch

from core.model.dropout import Dropout

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
