import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.batch import one_row
from core.config import ModelConfig
from core.decoding.generate import forced_steps
from core.decoding.output import ROWS, last_vector, output_rows, score_sums
from core.decoding.step import DecodeStep, least_sure_step, length_limit, weights_of_steps
from core.decoding.timing import decoding_cost
from core.model import build
from core.runs.run import load_run
from core.vocabulary import BOS


def step(logits, chosen):
    return DecodeStep((BOS,), torch.tensor(logits), chosen)


def test_figures_of_a_step_follow_from_its_scores():
    found = step([-math.inf, -math.inf, 3.0, 1.0, -3.0], 3)
    shares = np.exp([3.0, 1.0, -3.0]) / np.exp([3.0, 1.0, -3.0]).sum()
    assert found.probabilities[2:].tolist() == pytest.approx(shares)
    assert found.probabilities.sum() == pytest.approx(1)
    assert found.log_probability == pytest.approx(math.log(shares[1]))
    assert [found.rank(token) for token in (2, 3, 4)] == [0, 1, 2]


def test_the_model_is_least_sure_where_its_first_two_tokens_are_closest():
    steps = [step([5.0, 0.0, -9.0], 0), step([1.0, 1.2, -9.0], 1), step([0.0, 0.2, 0.1], 1)]
    shares = [np.sort(each.probabilities.double().numpy())[::-1] for each in steps]
    assert least_sure_step(steps) == int(
        np.argmin([first - second for first, second, *_ in shares])
    )
    assert least_sure_step(steps[:1]) == 0
    assert least_sure_step([steps[0], steps[0]]) == 0


def test_weights_of_all_steps_are_rows_of_one_map_and_later_words_have_none(model, source_S):
    found = list(forced_steps(model, source_S, (5, 6, 7)))
    for site in found[0].attention:
        weights_HQK = weights_of_steps(found, site)
        for index, one in enumerate(found):
            row_HK = one.attention[site]
            assert torch.equal(weights_HQK[:, index, : row_HK.shape[1]], row_HK)
            assert not weights_HQK[:, index, row_HK.shape[1] :].any()


@pytest.mark.parametrize(
    ("ratio", "n_source", "n_fed", "asked", "limit"),
    [
        # A target may also be longer than any that was learned.
        *((0, 4, 1, None, 24), (1.5, 10, 1, None, 36), (7.75, 4, 1, None, 47)),
        # Without a source a text has a limit of its own, or that of the pairs that were learned.
        *((0, 0, 5, None, 24), (10, 0, 5, None, 66)),
        # What is asked for holds within the model's positions.
        *((0, 4, 1, 100, 100), (0, 0, 1, 10**6, 511)),
    ],
)
def test_no_target_that_was_learned_is_cut(ratio, n_source, n_fed, asked, limit):
    model = build(ModelConfig(30, 1, 1, 16, 32, 2, target_ratio=ratio))
    assert length_limit(model, n_source, n_fed, asked) == limit


@pytest.mark.parametrize("temperature", [0.1, 1.0, 5.0])
def test_probabilities_sum_to_one_with_the_rest(temperature):
    logits_V = torch.linspace(-4, 9, 40)
    logits_V[:2] = -math.inf
    rows = output_rows(logits_V, temperature)
    assert len(rows) == ROWS + 1
    assert sum(row.probability for row in rows) == pytest.approx(1)
    assert rows[0].token == 39
    assert rows[-1].token is None
    assert rows[0].scaled == pytest.approx(9 / temperature)
    expected = torch.softmax(logits_V.double() / temperature, dim=-1)
    assert [row.probability for row in rows[:ROWS]] == pytest.approx(
        [float(expected[row.token]) for row in rows[:ROWS]]
    )


@pytest.mark.parametrize(
    "settings",
    [
        {"norm": "pre"},
        {"norm": "post", "logit_bias": True},
        {"decoder_mixing": "gru", "cross": "none"},
        {"n_encoder_layers": 0, "head_transform": True, "logit_scale": True},
    ],
    ids=str,
)
def test_the_products_of_the_last_vector_with_a_tokens_row_add_up_to_its_score(settings):
    config = replace(ModelConfig(30, 1, 1, 16, 32, 2), **settings)
    model = build(config, seed=0).eval()
    source, prefix = (5, 6, 2) if config.n_encoder_layers else (), (1, 7, 8)
    with torch.inference_mode():
        logits_V = model(one_row(source), one_row(prefix))[0, -1]
    sums = score_sums(model, last_vector(model, source, prefix), range(30))
    totals = [sum(each.products) + each.others + (each.bias or 0.0) for each in sums]
    assert totals == pytest.approx(logits_V.tolist(), abs=1e-5)


def test_scores_however_large_give_finite_numbers():
    rows = output_rows(torch.tensor([1e30, -1e30, -math.inf]), 0.1)
    assert [row.probability for row in rows] == [1, 0, 0, 0]


def test_the_cost_of_a_decoder_alone_counts_its_prompt_once(opened_path):
    run = load_run(opened_path("gpt2"))
    cost = decoding_cost(run, "The capital of France is")
    # Five tokens of the prompt go in together, then 23 of the 24 that are written.
    assert (cost.n_fed, cost.n_prompt, cost.n_steps) == (28, 5, 24)
    assert (cost.n_source, cost.limit) == (0, 24)
    table = cost.table()
    assert table["step"][:6] == [0, 0, 0, 0, 0, 1]
    assert {len(column) for column in table.values()} == {28}
