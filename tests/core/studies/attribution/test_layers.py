from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from core.batch import Pair
from core.config import ModelConfig
from core.model import build
from core.studies.attribution.layers import by_layer

CONFIG = ModelConfig(23, 3, 2, 16, 32, 4, max_positions=20)
PAIRS = [
    Pair((4, 5, 6, 7, 8, 2), (1, 9, 10, 2)),
    Pair((9, 10, 2), (1, 4, 2)),
]


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_one_sentence_is_as_by_hand(norm):
    model = build(replace(CONFIG, norm=norm), seed=3).double().eval()
    pair = PAIRS[0]
    source_1S, fed_1T = torch.tensor([pair.source]), torch.tensor([pair.target[:-1]])
    found = by_layer(model, [pair])
    kept = []
    handles = [
        layer.register_forward_hook(lambda _module, given, made: kept.append((given[0], made)))
        for layer in model.encoder
    ]
    logits_1TV = model(source_1S, fed_1T)
    for handle in handles:
        handle.remove()
    loss = F.cross_entropy(logits_1TV[0], torch.tensor(pair.target[1:]))
    stream = [kept[0][0], *(made for _given, made in kept)]
    norms = [each.norm().item() for each in torch.autograd.grad(loss, stream)]
    assert [each.gradient for each in found] == pytest.approx([n / norms[-1] for n in norms])
    for each, x_1SD in zip(found, stream, strict=True):
        x_SD = x_1SD[0].detach()
        apart = (x_SD - x_SD.mean(dim=0)).norm() / x_SD.norm()
        assert each.apart == pytest.approx(apart.item())
    assert len(found) == 4 and found[-1].gradient == 1
    assert not any(each.grad is not None for each in model.parameters())


def test_padding_counts_for_nothing():
    model = build(CONFIG, seed=3).double().eval()
    together = by_layer(model, PAIRS)
    # The same as without the other's padding: sums of squares of both.
    sums = [[], []]
    for pair in PAIRS:
        record = []
        handles = [
            layer.register_forward_hook(lambda _m, _given, made, to=record: to.append(made))
            for layer in model.encoder
        ]
        model.encode(torch.tensor([pair.source]))
        for handle in handles:
            handle.remove()
        x_SD = record[-1][0].detach()
        sums[0].append((x_SD - x_SD.mean(dim=0)).square().sum().item())
        sums[1].append(x_SD.square().sum().item())
    assert together[-1].apart == pytest.approx((sum(sums[0]) / sum(sums[1])) ** 0.5)


def test_without_residuals_all_positions_become_alike_and_with_them_they_do_not():
    deep = replace(CONFIG, n_encoder_layers=6)
    plain = by_layer(build(deep, seed=3).eval(), PAIRS)
    bare = by_layer(build(replace(deep, residual=False), seed=3).eval(), PAIRS)
    assert plain[-1].apart > 0.1
    assert bare[-1].apart < 1e-3
