import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.studies.heads.summaries import same_texts
from tests.core.studies.heads.test_summaries import (
    CAUSAL,
    CROSS,
    SELF,
    of,
    pointing,
    random_attention,
)


def pattern_of(weights, site=SELF, **options):
    [summary] = of(weights, site, **options)
    found = summary.pattern
    return found.name, found.at, found.hits, found.rows


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([0, 0, 1, 2, 3, 4], ("offset", -1, 5, 6)),
        ([1, 2, 3, 4, 5, 5], ("offset", 1, 5, 6)),
        ([0, 1, 2, 3, 4, 5], ("offset", 0, 6, 6)),
        ([3, 5, 0, 1, 2, 3], ("offset", -2, 4, 6)),
        ([5, 5, 5, 0, 5, 5], ("token", 5, 5, 6)),
        ([2, 2, 2, 2, 2, 2], ("token", 2, 6, 6)),
    ],
)
def test_a_head_that_was_made_by_hand_is_recognised(keys, expected):
    assert pattern_of(pointing(keys, 6)) == expected


def test_a_pattern_is_above_chance_by_its_share_less_that_of_chance():
    [summary] = of(pointing([5, 5, 5, 0, 5, 5], 6), SELF)
    assert summary.pattern.above_chance == pytest.approx(5 / 6 - 1 / 6)
    [even] = of(np.full((1, 6, 6), 1 / 6, np.float32), SELF)
    assert (even.pattern.name, even.pattern.above_chance) == ("even", 0.0)


def test_a_head_that_looks_at_tokens_of_the_same_text_is_recognised():
    words = ["the", "cat", "the", "dog", "cat", "dog"]
    alike = same_texts(words, words)
    np.fill_diagonal(alike, False)
    assert pattern_of(pointing([2, 4, 0, 5, 1, 3], 6), alike=alike) == ("text", 0, 6, 6)


def test_nearly_uniform_rows_have_no_pattern_but_evenness():
    assert pattern_of(np.full((1, 4, 4), 0.25, np.float32)) == ("even", 0, 4, 4)


def test_in_the_source_near_the_own_place_is_a_pattern():
    found = pattern_of(pointing([1, 0, 3, 2, 5, 4], 6), CROSS)
    assert found == ("near", 0, 6, 6)
    assert pattern_of(pointing([1, 0, 3, 2, 5, 4], 6), SELF)[0] != "near"


def test_in_the_source_moving_on_in_every_row_is_a_pattern():
    assert pattern_of(pointing([2, 5, 6, 9, 10], 11), CROSS) == ("forward", 0, 4, 4)


def test_no_pattern_is_common_where_rows_look_here_and_there():
    [summary] = of(pointing([3, 0, 5, 5, 1, 2], 6))
    assert not summary.pattern.prevails
    assert summary.pattern.hits <= 2


def test_a_pattern_that_chance_explains_is_not_common():
    [half] = of(pointing([0, 1, 0, 0, 1, 1, 0, 1], 2), CROSS)
    assert (half.pattern.name, half.pattern.share) == ("token", 0.5)
    assert half.pattern.chance == 0.5
    assert not half.pattern.prevails


def test_chance_is_the_share_of_a_head_that_picks_any_visible_key():
    visible = np.tril(np.ones((4, 4), bool))
    weights = pointing([0, 0, 1, 2], 4, rest=0)
    [summary] = of(weights, CAUSAL, visible)
    assert (summary.pattern.name, summary.pattern.at) == ("offset", -1)
    assert summary.pattern.chance == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)


@given(
    seed=st.integers(0, 10_000),
    spread=st.floats(0.05, 1),
    n=st.integers(1, 8),
    causal=st.booleans(),
    site=st.sampled_from([SELF, CROSS]),
)
def test_a_pattern_never_claims_what_its_rows_do_not_do(seed, spread, n, causal, site):
    weights, visible = random_attention(seed, spread, 1, n, n, causal)
    [summary] = of(weights, site, visible)
    found = summary.pattern
    assert 0 <= found.hits <= found.rows <= n
    assert 0 <= found.chance <= 1
    counted = [row for row in range(n) if visible[row].sum() > 1]
    keys = {row: int(np.where(visible, weights[0], -1)[row].argmax()) for row in counted}
    holds = {
        "offset": lambda row: keys[row] - row == found.at,
        "token": lambda row: keys[row] == found.at,
        "near": lambda row: abs(keys[row] - row) <= 1,
        "forward": lambda row: row > counted[0] and keys[row] > keys[row - 1],
    }
    if found.name in holds:
        assert found.hits == sum(map(holds[found.name], counted))
