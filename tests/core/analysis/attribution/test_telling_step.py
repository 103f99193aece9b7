import numpy as np

from core.analysis.attribution.leaving_out import lost_without
from core.analysis.attribution.telling_step import FEW_TOKENS, telling_step

SOURCE, TARGET = (5, 6, 7, 8, 2), (5, 6, 7, 8, 2)


def test_the_telling_step_loses_most_by_one_token(copy_run):
    lost = lost_without(copy_run.model, SOURCE, TARGET)
    step = telling_step(copy_run.model, SOURCE, TARGET)
    assert lost[step].max() == np.max(lost)


def test_of_a_long_sentence_the_first_word_is_told(copy_run):
    long = (5,) * FEW_TOKENS + (2,)
    assert telling_step(copy_run.model, long, TARGET) == 0
