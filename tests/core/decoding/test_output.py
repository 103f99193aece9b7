import math

import pytest
import torch

from core.decoding.output import ROWS, output_rows


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


def test_scores_however_large_give_finite_numbers():
    rows = output_rows(torch.tensor([1e30, -1e30, -math.inf]), 0.1)
    assert [row.probability for row in rows] == [1, 0, 0, 0]
