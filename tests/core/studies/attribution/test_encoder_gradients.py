from dataclasses import replace

import pytest
import torch
from torch.autograd.functional import jacobian
from torch.nn import functional as F

from core.batch import Pair
from core.config import ModelConfig
from core.model import Record, Step, build
from core.studies.attribution.encoder_gradients import by_layer, influence_by_distance
from core.studies.attribution.gradients import SOURCE, Embedded

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20)
SOURCES = [(4, 5, 6, 7, 8, 2), (9, 10, 2), (11, 2)]
ENCODERS = ("attention", "gru", "lstm_two_way", "convolution", "average")


def by_hand(model):
    """The whole Jacobian of each sentence, position by position."""
    squares = {}
    for source in SOURCES:
        ids, record = torch.tensor([source]), Record(frozenset({Step.TOKENS}), frozenset({SOURCE}))
        with torch.no_grad():
            model.encode(ids, record)

        def made(tokens_SD, ids=ids):
            return model.encode(ids, Embedded(tokens_SD[None], SOURCE))[0]

        found_SDSD = jacobian(made, record.tensors[SOURCE, Step.TOKENS][0].clone())
        for i in range(len(source)):
            for j in range(len(source)):
                squares.setdefault(abs(i - j), []).append(found_SDSD[i, :, j].square().sum().item())
    means = {k: sum(each) / len(each) for k, each in sorted(squares.items())}
    return [(k, len(squares[k]), (mean / means[0]) ** 0.5) for k, mean in means.items()]


@pytest.mark.parametrize("encoder", ENCODERS)
def test_along_all_directions_the_norms_are_those_of_the_whole_jacobian(encoder):
    model = build(replace(CONFIG, encoder_mixing=encoder), seed=3).double().eval()
    found = influence_by_distance(model, SOURCES, n_directions=16)
    expected = by_hand(model)
    assert [(each.distance, each.pairs) for each in found] == [(k, n) for k, n, _ in expected]
    assert [each.norm for each in found] == pytest.approx([norm for *_, norm in expected])
    assert found[0].norm == 1


def test_a_convolution_of_width_three_reaches_one_token_further_with_each_layer():
    model = build(replace(CONFIG, encoder_mixing="convolution"), seed=3).eval()
    norms = [each.norm for each in influence_by_distance(model, SOURCES)]
    assert min(norms[:3]) > 0
    assert norms[3:] == [0, 0, 0]


LAYERED = ModelConfig(23, 3, 2, 16, 32, 4, max_positions=20)
PAIRS = [
    Pair((4, 5, 6, 7, 8, 2), (1, 9, 10, 2)),
    Pair((9, 10, 2), (1, 4, 2)),
]


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_one_sentence_is_as_by_hand(norm):
    model = build(replace(LAYERED, norm=norm), seed=3).double().eval()
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
    model = build(LAYERED, seed=3).double().eval()
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
