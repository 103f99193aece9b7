import numpy as np
import pytest

from core.heads import Head
from core.studies.effects.pruning import PruningPoint
from pages.frame.language import percent
from pages.views.heads.prune_findings import last_to_go, needed, seen

SHARES = (0.98, 0.975, 0.6, 0.0)
HEADS = [None, *(Head.parse(f"encoder.0.self:{index}") for index in range(3))]


@pytest.fixture
def points():
    """A curve of three heads: without the first nothing is lost, without the second much."""
    return [
        PruningPoint(head, 3 - at, share, 0.1, 200)
        for at, (head, share) in enumerate(zip(HEADS, SHARES, strict=True))
    ]


def test_a_head_is_needed_without_which_more_than_a_point_is_lost(points):
    lost = np.float64(SHARES[0]) - np.array(SHARES)
    n_left = 3 - int(np.flatnonzero(lost <= 0.01).max())
    said = seen({"greedy": points})
    assert said == needed("greedy", points)
    assert said == (
        f"Cheapest head each time: **{3 - n_left}** of 3 heads can go, and {percent(0.975)} of 200 "
        f"sentences are still right (with all {percent(0.98)})."
    )


def test_of_a_curve_that_grows_its_last_point_is_said(points):
    assert f"is **{percent(0.6)}** with 1 of 3 heads left" in seen({"greedy": points[:3]})


def test_of_nothing_only_that_is_said():
    assert "Nothing is measured yet" in seen({"greedy": []})


def test_of_a_model_that_gets_nothing_right_it_is_not_said_what_it_needs():
    nothing = [PruningPoint(None, 1, 0.0, 2.0, 6), PruningPoint(None, 0, 0.0, 2.1, 6)]
    assert "too little to lose" in needed("greedy", nothing)


def test_the_last_heads_to_go_are_named(points):
    said = last_to_go("greedy", points)
    assert "self-attention head 2." in said
    assert "more than 1 point" in said
