import numpy as np
import pytest

from core.analysis.attribution import leave_one_out, said_at
from core.analysis.attribution_gradients import log_probability_of_vectors, token_vectors
from core.analysis.attribution_steps import FEW_TOKENS, lost_without, telling_step

SOURCE, TARGET = (5, 6, 7, 8, 2), (5, 6, 7, 8, 2)


def test_each_row_is_leaving_one_out_of_that_word(copy_run):
    found = lost_without(copy_run.model, SOURCE, TARGET)
    assert found.shape == (5, 5)
    for step in range(len(TARGET)):
        said = said_at(SOURCE, TARGET, step)
        whole = log_probability_of_vectors(copy_run.model, said)(
            token_vectors(copy_run.model, said)
        )
        expected = leave_one_out(copy_run.model, said, whole[0].item())
        assert found[step] == pytest.approx(expected, abs=1e-4)


def test_the_telling_step_loses_most_by_one_token(copy_run):
    lost = lost_without(copy_run.model, SOURCE, TARGET)
    step = telling_step(copy_run.model, SOURCE, TARGET)
    assert lost[step].max() == np.max(lost)


def test_of_a_long_sentence_the_first_word_is_told(copy_run):
    long = (5,) * FEW_TOKENS + (2,)
    assert telling_step(copy_run.model, long, TARGET) == 0
