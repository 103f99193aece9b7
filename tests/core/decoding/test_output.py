import math

import pytest
import torch

from core.decoding.output import ROWS, output_rows


def test_known_softmax():
    rows = output_rows(torch.tensor([3.0, 1.0, -3.0]), 1.0)
    shares = [row.probability for row in rows[:3]]
    assert shares == pytest.approx([0.8789, 0.1189, 0.0022], abs=5e-5)
    assert [row.token for row in rows] == [0, 1, 2, None]


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


def test_exponentials_divided_by_their_sum_are_the_probabilities():
    rows = output_rows(torch.tensor([2.0, 7.0, -1.0, 7.0]), 0.5, n=2)
    assert [row.token for row in rows] == [1, 3, None]
    total = sum(row.exponential for row in rows)
    assert [row.exponential / total for row in rows] == pytest.approx(
        [row.probability for row in rows]
    )
    assert rows[0].exponential == 1


def test_scores_however_large_give_finite_numbers():
    rows = output_rows(torch.tensor([1e30, -1e30, -math.inf]), 0.1)
    assert [row.probability for row in rows] == [1, 0, 0, 0]
