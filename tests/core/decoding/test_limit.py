import pytest

from core.config import ModelConfig
from core.decoding.limit import CONTINUATION, length_limit
from core.model import build


def model(**changes):
    return build(ModelConfig(30, 1, 1, 16, 32, 2, **changes), seed=0)


@pytest.mark.parametrize(
    ("ratio", "n_source", "limit"),
    # A target may also be longer than any that was learned.
    [(0, 4, 24), (0, 10, 36), (1.5, 10, 36), (7.75, 4, 47), (10, 3, 46), (0.1, 100, 216)],
)
def test_no_target_that_was_learned_is_cut(ratio, n_source, limit):
    assert length_limit(model(target_ratio=ratio), n_source) == limit


def test_a_text_without_source_has_a_limit_of_its_own_where_no_pairs_were_learned():
    assert length_limit(model(), 0, n_fed=5) == CONTINUATION
    assert length_limit(model(target_ratio=10), 0, n_fed=5) == 66


@pytest.mark.parametrize(("asked", "limit"), [(1, 1), (100, 100), (10**6, 511)])
def test_what_is_asked_for_holds_within_the_models_positions(asked, limit):
    assert length_limit(model(), 4, 1, asked) == limit
    assert length_limit(model(), 0, 1, asked) == limit
