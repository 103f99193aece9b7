import numpy as np
import pytest

from core.config import ModelConfig
from core.model import build
from core.studies.attribution.leaving_out import (
    telling_step,
)
from core.studies.attribution.methods import prediction_at
from tests.core.studies.attribution.conftest import SOURCE, TARGET, log_probability


@pytest.fixture(scope="module")
def model():
    return build(ModelConfig(20, 2, 2, 8, 16, 2), seed=4).eval()


def lost(model, target, hidden):
    """What is lost without these positions, the sentence asked about by itself."""
    without = [0 if at in hidden else each for at, each in enumerate(target.source_ids)]
    return log_probability(model, target.source_ids, target) - log_probability(
        model, without, target
    )


@pytest.mark.parametrize("among", [(0,), (2, 4)])
def test_the_telling_step_of_some_tokens_loses_most_by_one_of_these(model, among):
    each = [[lost(model, prediction_at(SOURCE, TARGET, t), [s]) for s in among] for t in range(3)]
    assert telling_step(model, SOURCE, TARGET[:3], among) == int(np.max(each, axis=1).argmax())
