import math

import numpy as np
import pytest

from viz.frames import ROWS, softmax_table


def test_known_softmax():
    table = softmax_table(np.array([3, 1, -3], np.float32), ["a", "b", "c"], 1.0)
    assert table["p"][:3].tolist() == pytest.approx([0.8789, 0.1189, 0.0022], abs=5e-5)


@pytest.mark.parametrize("temperature", [0.1, 1.0, 5.0])
def test_probabilities_sum_to_one_with_the_rest(temperature):
    logits = np.linspace(-4, 9, 40).astype(np.float32)
    logits[:2] = -math.inf
    table = softmax_table(logits, [str(i) for i in range(40)], temperature)
    assert len(table) == ROWS + 1
    assert table["p"].sum() == pytest.approx(1)
    assert table["token"][0] == "39"
    assert table["token"].iloc[-1] == "28 others"
    assert table["z / τ"][0] == pytest.approx(9 / temperature)
