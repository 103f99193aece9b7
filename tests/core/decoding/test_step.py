import math

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.decoding.step import (
    DecodeOptions,
    DecodeStep,
    Stepper,
    decode_steps,
    least_sure_step,
    total_log_probability,
    weights_of_steps,
)
from core.vocabulary import BOS, EOS


def step(logits, chosen):
    return DecodeStep((BOS,), torch.tensor(logits), chosen)


def test_figures_of_a_step_follow_from_its_scores():
    found = step([-math.inf, -math.inf, 3.0, 1.0, -3.0], 3)
    shares = np.exp([3.0, 1.0, -3.0]) / np.exp([3.0, 1.0, -3.0]).sum()
    assert found.probabilities[2:].tolist() == pytest.approx(shares)
    assert found.probabilities.sum() == pytest.approx(1)
    assert found.log_probability == pytest.approx(math.log(shares[1]))
    assert found.entropy == pytest.approx(-(shares * np.log(shares)).sum())
    assert [found.rank(token) for token in (2, 3, 4)] == [0, 1, 2]


def test_the_most_probable_tokens_come_first_and_equal_ones_in_their_order():
    found = step([-math.inf, -math.inf, 1.0, 3.0, 1.0, 2.0], 3)
    assert found.most_probable(3) == [3, 5, 2]
    assert found.most_probable(99) == [3, 5, 2, 4, 0, 1]


@pytest.mark.parametrize("n", [1, 2, 10, 40])
def test_the_most_probable_of_many_are_those_of_all_in_order(n):
    for seed in range(20):
        logits_V = torch.randint(0, 9, (40,), generator=torch.Generator().manual_seed(seed)).float()
        logits_V[::7] = -math.inf
        ordered = logits_V.argsort(descending=True, stable=True)[:n].tolist()
        assert step(logits_V.tolist(), 0).most_probable(n) == ordered


def test_the_model_is_least_sure_where_its_first_two_tokens_are_closest():
    steps = [step([5.0, 0.0, -9.0], 0), step([1.0, 1.2, -9.0], 1), step([0.0, 0.2, 0.1], 1)]
    shares = [np.sort(each.probabilities.double().numpy())[::-1] for each in steps]
    assert least_sure_step(steps) == int(
        np.argmin([first - second for first, second, *_ in shares])
    )
    assert least_sure_step(steps[:1]) == 0
    assert least_sure_step([steps[0], steps[0]]) == 0


def test_weights_of_all_steps_are_rows_of_one_map_and_later_words_have_none(model, source_S):
    found = list(decode_steps(model, source_S))
    assert len(found) > 3
    for site in found[0].attention:
        weights_HQK = weights_of_steps(found, site)
        assert weights_HQK.shape[1] == len(found)
        for index, one in enumerate(found):
            row_HK = one.attention[site]
            assert torch.equal(weights_HQK[:, index, : row_HK.shape[1]], row_HK)
            assert not weights_HQK[:, index, row_HK.shape[1] :].any()


def test_log_probabilities_of_all_steps_add_up(model, source_S):
    found = list(decode_steps(model, source_S))
    product = math.prod(float(one.probabilities[one.chosen]) for one in found)
    assert total_log_probability(found) == pytest.approx(math.log(product))


def test_each_prefix_is_the_one_before_with_its_chosen_token(model, source_S):
    found = list(decode_steps(model, source_S))
    assert found[0].prefix == (BOS,)
    for before, after in zip(found, found[1:], strict=False):
        assert after.prefix == (*before.prefix, before.chosen)


def test_encoder_runs_once(model, source_S, monkeypatch):
    calls = []
    encode = model.encode
    monkeypatch.setattr(model, "encode", lambda *args: calls.append(1) or encode(*args))
    assert len(list(decode_steps(model, source_S))) > 3
    assert len(calls) == 1


def test_cached_steps_equal_recomputed_ones(model, source_S):
    cached = list(decode_steps(model, source_S))
    anew = list(decode_steps(model, source_S, DecodeOptions(cached=False)))
    assert [one.chosen for one in cached] == [one.chosen for one in anew]
    for one, other in zip(cached, anew, strict=True):
        assert (one.logits_V[2:] - other.logits_V[2:]).abs().max() < 1e-5
        assert set(one.attention) == set(other.attention)
        for site, rows_HK in one.attention.items():
            assert (rows_HK - other.attention[site]).abs().max() < 1e-5


def test_watching_changes_no_choice(model, source_S):
    watched = [one.chosen for one in decode_steps(model, source_S)]
    unwatched = list(decode_steps(model, source_S, DecodeOptions(watch=False)))
    assert [one.chosen for one in unwatched] == watched
    assert not any(one.attention for one in unwatched)


def test_rows_of_a_step_sum_to_one_over_prefix_and_source(model, source_S):
    for found in decode_steps(model, source_S):
        for site, rows_HK in found.attention.items():
            n_keys = len(found.prefix) if site.sublayer == "self" else len(source_S)
            assert rows_HK.shape == (4, n_keys)
            assert torch.allclose(rows_HK.sum(-1), torch.ones(4))


@given(st.integers(0, 10), st.integers(3, 29))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_corrupted_token_changes_no_earlier_step(model, source_S, at, token):
    plain = list(decode_steps(model, source_S))
    corrupted = list(decode_steps(model, source_S, DecodeOptions(overrides={at: token})))
    for before, after in zip(plain[: at + 1], corrupted[: at + 1], strict=True):
        assert torch.equal(before.logits_V, after.logits_V)
        assert before.prefix == after.prefix
    assert corrupted[at].chosen == token
    if len(corrupted) > at + 1:
        assert corrupted[at + 1].prefix[-1] == token


def test_a_stepper_goes_on_with_chosen_rows(model):
    source_BS = torch.tensor([[5, 6, EOS], [7, EOS, 0]])
    both = Stepper(model, source_BS)
    both.feed(torch.tensor([BOS, BOS]))
    swapped_BV = both.rows(torch.tensor([1, 0])).feed(torch.tensor([8, 9]))[0]
    expected_BV = both.feed(torch.tensor([9, 8]))[0]
    assert (swapped_BV[:, 2:] - expected_BV.flip(0)[:, 2:]).abs().max() < 1e-5
