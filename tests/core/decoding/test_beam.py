import itertools
import math

import pytest
import torch

from core.config import ConfigError
from core.decoding.beam import LARGEST_BEAM, beam_steps, length_penalty
from core.decoding.forced import forced_steps
from core.decoding.greedy import greedy_steps
from core.decoding.step import length_limit
from core.vocabulary import EOS


def last(model, source_S, beam, alpha=0.6):
    *_, final = beam_steps(model, source_S, beam, alpha)
    return final


def forced_log_probability(model, source_S, tokens):
    """Teacher-forced, summed over the tokens (EOS is one of them where it was said)."""
    target = tokens[:-1] if tokens[-1] == EOS else tokens
    scores = [step.log_probability for step in forced_steps(model, source_S, target)]
    return math.fsum(scores[: len(tokens)])


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
def test_a_beam_of_one_is_greedy(model, source_S, alpha):
    [only] = last(model, source_S, 1, alpha).kept
    assert list(only.tokens) == [step.chosen for step in greedy_steps(model, source_S)]


@pytest.mark.parametrize("alpha", [0.0, 0.6])
def test_a_wide_beam_finds_the_best_of_all_sequences(tiny_vocabulary, alpha):
    source_S = torch.tensor([3, 4, EOS])
    limit = 3
    tiny_vocabulary.config = tiny_vocabulary.config.__class__(
        **{**tiny_vocabulary.config.to_dict(), "max_positions": limit + 1}
    )
    assert length_limit(tiny_vocabulary, 3) == limit
    words = (3, 4, 5)
    sequences = [
        (*beginning, EOS) for n in range(limit) for beginning in itertools.product(words, repeat=n)
    ] + list(itertools.product(words, repeat=limit))

    def score(tokens):
        total = forced_log_probability(tiny_vocabulary, source_S, tokens)
        return total / length_penalty(len(tokens), alpha)

    best = max(sequences, key=score)
    found = last(tiny_vocabulary, source_S, LARGEST_BEAM, alpha).kept[0]
    assert found.tokens == best
    assert found.score == pytest.approx(score(best), abs=1e-5)


def test_every_hypothesis_scores_as_teacher_forced(model, source_S):
    for step in beam_steps(model, source_S, 4):
        for hypothesis in (*step.kept, *step.dropped):
            forced = forced_log_probability(model, source_S, hypothesis.tokens)
            assert hypothesis.log_probability == pytest.approx(forced, abs=1e-4)
            penalty = length_penalty(len(hypothesis.tokens), 0.6)
            assert hypothesis.score == pytest.approx(forced / penalty, abs=1e-4)


def test_what_is_kept_is_better_than_what_is_dropped_and_in_order(model, source_S):
    for step in beam_steps(model, source_S, 3):
        scores = [hypothesis.score for hypothesis in (*step.kept, *step.dropped)]
        assert scores == sorted(scores, reverse=True)
        assert len(step.kept) <= 3


def test_every_kept_prefix_continues_one_that_was_kept(model, source_S):
    before = {()}
    for step in beam_steps(model, source_S, 4):
        for hypothesis in step.kept:
            assert hypothesis.tokens in before or hypothesis.tokens[:-1] in before
        before = {hypothesis.tokens for hypothesis in step.kept}


def test_a_wider_beam_is_never_worse_on_the_first_step(model, source_S):
    firsts = [next(beam_steps(model, source_S, beam)).kept[0].score for beam in (1, 4, 16)]
    assert firsts == pytest.approx([firsts[0]] * 3)


@pytest.mark.parametrize(("beam", "alpha"), [(0, 0.6), (65, 0.6), (-1, 0.6), (4, -0.5), (4, 1e9)])
def test_what_cannot_be_is_refused(model, source_S, beam, alpha):
    with pytest.raises(ConfigError, match=r"beam is|length penalty is"):
        next(beam_steps(model, source_S, beam, alpha))
