import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding.choosing import Greedy
from core.decoding.generate import Forced, decode
from core.decoding.step import DecodeStep
from core.evaluate.exposure import divergences
from core.evaluate.mistakes import telling_mistake, wrong_tokens
from core.evaluate.side_by_side import (
    decode_both_ways,
    decode_sentence,
    running_losses,
    step_figures,
)
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.vocabulary import BOS


def step(probabilities, chosen):
    return DecodeStep((BOS,), torch.tensor([0.0, 0.0, *probabilities]).log(), chosen)


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


def test_losses_of_the_true_tokens_are_added_up():
    found = running_losses([step([0.5, 0.5], 2), step([0.8, 0.2], 3), step([0.8, 0.2], 3)])
    losses = [-math.log(each) for each in (0.5, 0.2, 0.2)]
    assert [loss for loss, _sum in found] == pytest.approx(losses)
    assert [so_far for _loss, so_far in found] == pytest.approx(
        [losses[0], losses[0] + losses[1], sum(losses)]
    )
    assert running_losses([]) == []


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


def test_the_table_has_a_row_for_each_number_of_each_step(guided):
    inspection = inspect_sentence(guided, "The dog slept.")
    free = decode_sentence(guided, inspection, Greedy(), ((0, 9),))
    assert free[0].chosen == 9
    found = decode_both_ways(guided, inspection, free, (5, 6))
    table = found.table()
    rows = list(zip(*table.values(), strict=True))
    entropies = [row[-1] for row in rows if row[:3:2] == ("free", "entropy")]
    assert entropies == pytest.approx([step.entropy for step in free])
    ranks = [row[-1] for row in rows if row[:3:2] == ("forced", "true_rank")]
    assert ranks == [step.rank(step.chosen) for step in found.forced]
    for step in range(len(found.forced)):
        weights = [row for row in rows if row[:3] == ("forced", step, "weight")]
        per_head = {}
        for _side, _step, _number, site, head, _at, _token, weight in weights:
            per_head.setdefault((site, head), []).append(weight)
        assert all(sum(each) == pytest.approx(1, abs=1e-5) for each in per_head.values())
    alone = decode_both_ways(guided, inspection, free)
    assert set(alone.table()["side"]) == {"free"}
    assert not {"true_rank", "divergence"} & set(alone.table()["number"])


def test_a_text_without_an_end_does_not_part_where_the_reference_ends(opened_path):
    run = load_run(opened_path("gpt2"))
    inspection = inspect_sentence(run, "The animal")
    free = decode_sentence(run, inspection, Greedy())
    own = [step.chosen for step in free]
    assert decode_both_ways(run, inspection, free, own[:2]).first_difference is None
    assert decode_both_ways(run, inspection, free, [own[0], own[1] + 1]).first_difference == 1


def test_what_is_written_after_a_mistake_is_what_decoding_with_it_writes(guided):
    inspection = inspect_sentence(guided, TIRED)
    free = decode_sentence(guided, inspection, Greedy())
    found = telling_mistake(guided, inspection, free)
    steps = decode_sentence(guided, inspection, Greedy(), ((found.step, found.token),))
    assert found.written == tuple(step.chosen for step in steps)
    assert found.n_lost > 0
    assert found.probability == pytest.approx(float(free[found.step].probabilities[found.token]))


def test_a_wrong_token_reads_otherwise_than_the_right_one_and_does_not_end_the_text(guided):
    decode, ends = guided.target_tokenizer.decode, guided.model.config.eos_ids
    for step in decode_sentence(guided, inspect_sentence(guided, TIRED), Greedy()):
        read = {decode([token]).strip() for token in wrong_tokens(guided, step)}
        assert not read & {"", decode([step.chosen]).strip()}
        assert not set(wrong_tokens(guided, step)) & set(ends)
