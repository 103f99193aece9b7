from dataclasses import replace

import pytest
import torch
from torch.autograd.functional import jacobian

from core.config import ModelConfig
from core.model import Record, Step, build
from core.studies.attribution.distance import influence_by_distance
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
            for j in range(i + 1):
                squares.setdefault(i - j, []).append(found_SDSD[i, :, j].square().sum().item())
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


def test_some_directions_come_near_it():
    model = build(CONFIG, seed=3).double().eval()
    exact = influence_by_distance(model, SOURCES * 4, n_directions=16)
    for seed in range(3):
        near = influence_by_distance(model, SOURCES * 4, n_directions=4, seed=seed)
        for one, other in zip(near, exact, strict=True):
            assert one.norm == pytest.approx(other.norm, rel=0.3)


def test_a_convolution_of_width_three_reaches_one_token_further_with_each_layer():
    model = build(replace(CONFIG, encoder_mixing="convolution"), seed=3).eval()
    norms = [each.norm for each in influence_by_distance(model, SOURCES)]
    assert min(norms[:3]) > 0
    assert norms[3:] == [0, 0, 0]


def test_layers_that_stand_side_by_side_are_measured_together():
    model = build(replace(CONFIG, memory="same"), seed=3).double().eval()
    found = influence_by_distance(model, SOURCES, n_directions=32)
    assert [each.norm for each in found] == pytest.approx([norm for *_, norm in by_hand(model)])
    assert not any(each.grad is not None for each in model.parameters())
