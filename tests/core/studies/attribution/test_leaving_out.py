import math

import numpy as np
import pytest

from core.batch import pad
from core.config import ModelConfig
from core.model import build
from core.studies.attribution.leaving_out import (
    leave_one_out,
    telling_step,
)
from core.studies.attribution.methods import prediction_at
from core.vocabulary import EOS

SOURCE, TARGET = (5, 9, 6, 7, 8, EOS), (11, 6, 13, 10, EOS)
WORDS = (0, 0, 1, 2, 2, 3)


@pytest.fixture(scope="module")
def model():
    return build(ModelConfig(20, 2, 2, 8, 16, 2), seed=4).eval()


def log_probability(model, source, target):
    """In float64, over the words that can be target: neither PAD nor BOS."""
    logits = model(pad([source]), pad([target.fed_ids]))[0, -1].detach().double().numpy()[2:]
    return logits[target.token - 2] - math.log(np.exp(logits).sum())


def lost(model, target, hidden):
    """What is lost without these positions, the sentence asked about by itself."""
    without = [0 if at in hidden else each for at, each in enumerate(target.source_ids)]
    return log_probability(model, target.source_ids, target) - log_probability(
        model, without, target
    )


@pytest.mark.parametrize("words", [None, WORDS])
def test_each_part_of_the_source_is_hidden_as_a_whole(model, words):
    target = prediction_at(SOURCE, TARGET, 3)
    parts = [[at for at, word in enumerate(words or range(6)) if word == part] for part in range(6)]
    expected = [lost(model, target, hidden) for hidden in parts if hidden]
    assert leave_one_out(model, target, words) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("among", [(0,), (2, 4)])
def test_the_telling_step_of_some_tokens_loses_most_by_one_of_these(model, among):
    each = [[lost(model, prediction_at(SOURCE, TARGET, t), [s]) for s in among] for t in range(3)]
    assert telling_step(model, SOURCE, TARGET[:3], among) == int(np.max(each, axis=1).argmax())
