import math

import numpy as np
import pytest

from core.inspection import even_weights
from core.studies.heads.evenness import evenness

CAUSAL = even_weights(np.tril(np.ones((3, 3), dtype=bool)))


def test_rows_are_averaged_each_as_a_share_of_its_own_largest_entropy():
    weights = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]], np.float32)
    # Row 0 has no choice; row 1 is even over two keys; row 2 over two of three.
    assert evenness(weights, CAUSAL) == pytest.approx((1 + math.log(2) / math.log(3)) / 2)


@pytest.mark.parametrize("visible", [np.ones((2, 1), bool), np.zeros((2, 3), bool)])
def test_rows_without_a_choice_give_zero(visible):
    assert evenness(visible.astype(np.float32), even_weights(visible)) == 0


@pytest.mark.parametrize(
    ("weights", "sizes", "expected"),
    [
        # Words of 1 and 3 tokens: a row has 4 tokens to choose from, which are 2 bits.
        ([1, 0], [1, 3], 0),
        ([0, 1], [1, 3], math.log2(3) / 2),
        ([0.5, 0.5], [1, 3], (1 + 0.5 * math.log2(3)) / 2),
        ([0.25, 0.75], [1, 3], 1),
        # Two words of 2 tokens are two equal keys.
        ([1, 0], [2, 2], 0),
        ([0.5, 0.5], [2, 2], 1),
    ],
)
def test_a_word_counts_as_its_tokens_do_where_its_weight_is_spread_over_them(
    weights, sizes, expected
):
    even = np.array([sizes]) / sum(sizes)
    assert evenness(np.array([weights], np.float32), even) == pytest.approx(expected, abs=1e-6)
