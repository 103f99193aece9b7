import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding import step as step_module
from core.decoding.step import DecodeStep
from core.evaluate.side_by_side import running_losses, side_by_side
from core.vocabulary import BOS


def step(probabilities, chosen):
    return DecodeStep((BOS,), torch.tensor([0.0, 0.0, *probabilities]).log(), chosen)


FREE = [step([0.5, 0.3, 0.2], 2), step([0.1, 0.2, 0.7], 4)]
FORCED = [step([0.5, 0.3, 0.2], 2), step([0.1, 0.2, 0.7], 3), step([0.6, 0.2, 0.2], 3)]


def test_the_predicted_and_the_true_token_are_named_however_improbable():
    found = side_by_side([step([0.6, 0.3, 0.06, 0.04], 4)], [step([0.6, 0.3, 0.06, 0.04], 5)], n=2)
    assert found.free[0].tokens == (4, 5)
    assert found.free[0].predicted_probability == pytest.approx(0.06)
    assert found.free[0].true_probability == pytest.approx(0.04)
    assert found.free[0].true_rank == 3
    assert found.forced[0].tokens == (2, 5)


@given(st.integers(0, 99), st.integers(0, 4), st.integers(2, 12))
@settings(max_examples=30, deadline=None)
def test_the_numbers_of_all_steps_are_those_of_each_by_itself(seed, n_true, n):
    random = np.random.default_rng(seed)

    def drawn(n_steps):
        # Some are equally probable; what is no word has no probability at all.
        shown = random.integers(1, 6, (n_steps, 9)).astype(np.float64)
        shown[:, :2] = 0
        return shown / shown.sum(axis=1, keepdims=True)

    free_TV, forced_TV = drawn(3), drawn(n_true)
    free, forced = (
        [
            DecodeStep((BOS,), torch.tensor(p_V).log().float(), int(random.integers(2, 9)))
            for p_V in each
        ]
        for each in (free_TV, forced_TV)
    )
    found = side_by_side(free, forced, n=n)
    true = [step.chosen for step in forced]
    for index, (figures, step, p_V) in enumerate(zip(found.free, free, free_TV, strict=True)):
        assert figures.predicted == step.chosen
        assert figures.predicted_probability == pytest.approx(p_V[step.chosen])
        assert figures.entropy == pytest.approx(-sum(p * math.log(p) for p in p_V if p))
        assert figures.probabilities == pytest.approx([p_V[token] for token in figures.tokens])
        assert figures.others == pytest.approx(1 - sum(figures.probabilities), abs=1e-6)
        named = {step.chosen, *true[index : index + 1]}
        best = [*sorted(range(9), key=lambda token: (-p_V[token], token))][:n]
        if named <= set(best):
            assert list(figures.tokens) == best
        assert named <= set(figures.tokens)
        assert len(figures.tokens) == min(n, 9)
        if index < n_true:
            assert figures.true_probability == pytest.approx(p_V[true[index]])
            assert figures.true_rank == sum(p > p_V[true[index]] * (1 + 1e-6) for p in p_V)
    expected = [
        sum(p * math.log(p / q) for p, q in zip(*both, strict=True) if p)
        for both in zip(forced_TV, free_TV, strict=False)
    ]
    assert found.divergence == pytest.approx(expected, abs=1e-6)


def test_large_vocabularies_are_compared_in_parts(monkeypatch):
    whole = side_by_side(FREE, FORCED)
    monkeypatch.setattr(step_module, "_AT_ONCE", 1)
    assert side_by_side(FREE, FORCED) == whole


def test_without_a_reference_there_is_nothing_to_compare():
    found = side_by_side(FREE, [])
    assert found.forced == found.divergence == ()
    assert found.first_difference is None
    assert found.free[0].true is found.free[0].true_probability is found.free[0].true_rank is None


def test_a_text_that_has_no_end_does_not_part_where_the_reference_ends():
    assert side_by_side(FREE, FORCED[:1]).first_difference == 1
    assert side_by_side(FREE, FORCED[:1], goes_on=True).first_difference is None
    assert side_by_side(FREE, FORCED, goes_on=True).first_difference == 1


def test_losses_of_the_true_tokens_are_added_up():
    found = running_losses(FORCED)
    losses = [-math.log(each) for each in (0.5, 0.2, 0.2)]
    assert [loss for loss, _sum in found] == pytest.approx(losses)
    assert [so_far for _loss, so_far in found] == pytest.approx(
        [losses[0], losses[0] + losses[1], sum(losses)]
    )
    assert running_losses([]) == []
