import math

import numpy as np
import pytest

from core.batch import pad
from core.config import ModelConfig
from core.model import build
from core.studies.attribution import leaving_out
from core.studies.attribution.leaving_out import (
    FEW_TOKENS,
    leave_one_out,
    telling_step,
)
from core.studies.attribution.methods import said_at
from core.vocabulary import EOS

SOURCE, TARGET = (5, 9, 6, 7, 8, EOS), (11, 6, 13, 10, EOS)
WORDS = (0, 0, 1, 2, 2, 3)


@pytest.fixture(scope="module")
def model():
    return build(ModelConfig(20, 2, 2, 8, 16, 2), seed=4).eval()


def log_probability(model, source, said):
    """In float64, over the words that can be said: neither PAD nor BOS."""
    logits = model(pad([source]), pad([said.fed_ids]))[0, -1].detach().double().numpy()[2:]
    return logits[said.token - 2] - math.log(np.exp(logits).sum())


def lost(model, said, hidden):
    """What is lost without these positions, the sentence asked about by itself."""
    without = [0 if at in hidden else each for at, each in enumerate(said.source_ids)]
    return log_probability(model, said.source_ids, said) - log_probability(model, without, said)


@pytest.mark.parametrize("words", [None, WORDS])
def test_each_part_of_the_source_is_hidden_as_a_whole(model, words):
    said = said_at(SOURCE, TARGET, 3)
    parts = [[at for at, word in enumerate(words or range(6)) if word == part] for part in range(6)]
    expected = [lost(model, said, hidden) for hidden in parts if hidden]
    assert leave_one_out(model, said, words) == pytest.approx(expected, abs=1e-5)


def test_what_is_hidden_together_may_tell_more_than_its_parts(model):
    said = said_at(SOURCE, TARGET, 3)
    together = leave_one_out(model, said, WORDS)
    alone = np.bincount(WORDS, weights=leave_one_out(model, said))
    assert not np.allclose(together[[0, 2]], alone[[0, 2]], atol=1e-4)
    assert together[[1, 3]] == pytest.approx(alone[[1, 3]], abs=1e-5)


def test_long_sources_are_left_out_in_parts(model, monkeypatch):
    said = said_at(SOURCE, TARGET, 1)
    at_once = leave_one_out(model, said)
    monkeypatch.setattr(leaving_out, "SOURCES_AT_ONCE", 3)
    assert leave_one_out(model, said) == pytest.approx(at_once, abs=1e-5)


def test_the_telling_step_loses_most_by_one_token(model):
    lost_TP = [leave_one_out(model, said_at(SOURCE, TARGET, t)) for t in range(len(TARGET))]
    assert telling_step(model, SOURCE, TARGET) == int(np.max(lost_TP, axis=1).argmax())


@pytest.mark.parametrize("among", [(0,), (2, 4)])
def test_the_telling_step_of_some_tokens_loses_most_by_one_of_these(model, among):
    each = [[lost(model, said_at(SOURCE, TARGET, t), [s]) for s in among] for t in range(3)]
    assert telling_step(model, SOURCE, TARGET[:3], among) == int(np.max(each, axis=1).argmax())


def test_of_a_long_sentence_the_first_word_is_told(model):
    long = (5,) * FEW_TOKENS + (2,)
    assert telling_step(model, long, TARGET) == 0
