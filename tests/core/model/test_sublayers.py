"""What the sublayers of a layer look at, and what they leave alone."""

from functools import partial

import pytest
import torch

from core.heads import Site
from core.model.sublayers import CrossAttention, FeedForward, LayerInputs, SelfAttention

SELF, CROSS = Site("decoder", 0, "self"), Site("decoder", 0, "cross")
N = 5


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.fixture
def made(small_config):
    """Return a function that builds a sublayer in float64."""

    def build(kind, site):
        with torch.random.fork_rng():
            torch.manual_seed(3)
            return kind(small_config, site).double().eval()

    return build


def rows_moved(function, x_BKD, row):
    """Return which rows of what a function makes of x change with one row of x."""
    changed_BKD = x_BKD.clone()
    changed_BKD[:, row] += 1
    with torch.no_grad():
        moved_BQD = function(changed_BKD) != function(x_BKD)
    return set(moved_BQD.any(-1).any(0).nonzero()[:, 0].tolist())


@pytest.mark.parametrize("row", range(N))
def test_a_word_that_changes_moves_only_the_rows_that_may_look_at_it(made, small_config, row):
    x_BKD, memory_BSD = drawn(2, N, small_config.d_model), drawn(2, N, small_config.d_model, seed=1)
    attention, cross = made(SelfAttention, SELF), made(CrossAttention, CROSS)
    feed_forward = made(FeedForward, Site("decoder", 0, "feed_forward"))
    causal_1TT = torch.ones(1, N, N, dtype=torch.bool).tril()
    moved = partial(rows_moved, x_BKD=x_BKD, row=row)
    assert moved(lambda x: attention.added(x, LayerInputs(None), None)) == set(range(N))
    assert moved(lambda x: attention.added(x, LayerInputs(causal_1TT), None)) == set(range(row, N))
    # Queries come from the stream, keys and values do not.
    assert moved(lambda x: cross.added(x, LayerInputs(causal_1TT, memory_BSD), None)) == {row}
    assert moved(lambda x: feed_forward.added(x, LayerInputs(None), None)) == {row}


def test_a_word_of_the_source_moves_every_row_that_may_look_at_it_and_none_else(made, small_config):
    x_BTD, memory_BSD = drawn(1, 3, small_config.d_model), drawn(1, N, small_config.d_model, seed=1)
    cross = made(CrossAttention, CROSS)
    visible_B1S = torch.tensor([[[True, True, True, False, False]]])

    def added(memory_BSD):
        return cross.added(x_BTD, LayerInputs(None, memory_BSD, visible_B1S), None)

    moved = [rows_moved(added, memory_BSD, column) for column in range(N)]
    assert moved == [{0, 1, 2}] * 3 + [set()] * 2
