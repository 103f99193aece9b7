"""A sublayer that was invented for these tests shows up wherever a model is described."""

from dataclasses import replace

import pytest

from core.batch import pad
from core.config import ModelConfig
from core.decoding.generate import generate
from core.decoding.step import Stepper
from core.describe import describe
from core.vocabulary import EOS
from tests.core.decoding.test_generate import slowly
from tests.core.describe.invented import gated

CONFIG = ModelConfig(30, 2, 2, 16, 32, 4, max_positions=24)
SOURCES = [[5, 6, 7, EOS], [8, EOS], [9, 10, 11, 12, 13, 14, EOS]]


@pytest.fixture(params=["post", "pre"])
def model(request):
    return gated(replace(CONFIG, norm=request.param), seed=4)


def test_the_parts_are_there_in_the_order_of_the_model(model):
    ids = [part.id for part in describe(model).parts]
    for stack in ("encoder", "decoder"):
        layer = [each for each in ids if each.startswith(f"{stack}.0.")]
        gate = layer.index(f"{stack}.0.gate")
        assert layer.index(f"{stack}.0.self") < gate < layer.index(f"{stack}.0.feed_forward")
        assert f"{stack}.0.gate.norm" in layer
        assert f"{stack}.1.gate" not in ids


def test_parameters_are_counted_and_summed_in_a_group_of_their_own(model):
    described = describe(model)
    assert described.parameters == sum(each.numel() for each in model.parameters())
    assert described.by_group()["gates"] == 2 * 16 * 16
    assert sum(described.by_group().values()) == described.parameters


def test_decoding_falls_back_to_the_modules_and_writes_the_same(model):
    stepper = Stepper(model, pad(SOURCES))
    assert stepper._plan is None
    together = generate(model, pad(SOURCES))
    for source, written in zip(SOURCES, together, strict=True):
        alone = slowly(model, source)
        assert written[: len(alone)] == alone
        assert generate(model, pad([source]))[0] == alone
