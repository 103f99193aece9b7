import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding.choosing import Greedy
from core.decoding.generate import Forced, decode
from core.decoding.step import DecodeStep
from core.evaluate.exposure import divergences, telling_mistake, wrong_tokens
from core.evaluate.side_by_side import decode_both_ways, decode_sentence, step_figures
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.vocabulary import BOS


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
    true = [step.chosen for step in forced]
    found = step_figures(free, [step.chosen for step in free], true, n)
    for index, (figures, step, p_V) in enumerate(zip(found, free, free_TV, strict=True)):
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
    assert divergences(free, forced) == pytest.approx(expected, abs=1e-6)


TIRED = "The animal didn't cross the street because it was too tired."


def test_fed_what_it_writes_itself_both_sides_take_the_same_steps(guided):
    inspection = inspect_sentence(guided, TIRED)
    own = inspection.translation
    free = decode_sentence(guided, inspection, Greedy())
    found = decode_both_ways(guided, inspection, free, own.target_ids)
    by_itself = decode(guided.model, own.source_ids, Forced(own.target_ids))
    for one, other in zip(found.forced, by_itself, strict=True):
        assert (one.prefix, one.chosen) == (other.prefix, other.chosen)
        torch.testing.assert_close(one.logits_V, other.logits_V)
    assert set(found.divergence) == {0.0}
    assert found.first_difference is None
    # As where the limit comes before EOS: what was cut off is forced to its end.
    cut = decode_both_ways(guided, inspection, free[:-1], own.target_ids)
    assert (len(cut.free), len(cut.forced)) == (len(own.target_ids), len(own.target_ids) + 1)
    assert cut.first_difference == len(cut.free)


def test_a_text_without_an_end_does_not_part_where_the_reference_ends(opened_path):
    run = load_run(opened_path("gpt2"))
    inspection = inspect_sentence(run, "The animal")
    free = decode_sentence(run, inspection, Greedy())
    own = [step.chosen for step in free]
    assert decode_both_ways(run, inspection, free, own[:2]).first_difference is None
    assert decode_both_ways(run, inspection, free, [own[0], own[1] + 1]).first_difference == 1


@pytest.mark.parametrize("limit", [None, 4])
def test_what_is_written_after_a_mistake_is_what_decoding_with_it_writes(guided, limit):
    run = replace(guided, max_new_tokens=limit)
    inspection = inspect_sentence(run, TIRED)
    free = decode_sentence(run, inspection, Greedy())
    found = telling_mistake(run, inspection, free)
    steps = decode_sentence(run, inspection, Greedy(), ((found.step, found.token),))
    assert found.written == tuple(step.chosen for step in steps)
    assert found.n_lost > 0
    assert found.probability == pytest.approx(float(free[found.step].probabilities[found.token]))


def test_a_wrong_token_reads_otherwise_than_the_right_one_and_does_not_end_the_text(guided):
    decode, ends = guided.target_tokenizer.decode, guided.model.config.eos_ids
    for step in decode_sentence(guided, inspect_sentence(guided, TIRED), Greedy()):
        read = {decode([token]).strip() for token in wrong_tokens(guided, step)}
        assert not read & {"", decode([step.chosen]).strip()}
        assert not set(wrong_tokens(guided, step)) & set(ends)
