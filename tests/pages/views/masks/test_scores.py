import numpy as np
import pytest

from core.heads import Head, Site
from core.studies.lessons.masks import head_of_batch, padded_batch
from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.masks.conftest import KINDS, OTHERS, TIRED, panels


@pytest.mark.parametrize("kind", KINDS)
def test_scores_become_weights(open_masks, run, kind):
    at = open_masks(masks="scores", attention=kind, row="1", layer="1", head="2")
    scores, masked, weights = panels(at)
    np.testing.assert_array_equal(scores.values, masked.values)
    assert scores.visible is None
    hidden = -np.inf if masked.visible is None else np.where(masked.visible, 0.0, -np.inf)
    exponentials = np.exp(scores.values.astype(np.float64) + hidden)
    wanted = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(weights.values, wanted, atol=1e-6)
    assert "Every row still sums to 1, within 0.00001." in said(at)
    site = Site(KINDS[kind], 1, "cross" if kind == "cross" else "self")
    batch = padded_batch(run, (TIRED, *OTHERS.splitlines()))
    own = head_of_batch(run.model, batch, Head(site, 2), 1)
    np.testing.assert_array_equal(weights.values, own.weights_QK)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_masks, handed_over):
    at = open_masks(masks="scores", attention="cross", row="1", layer="1", head="2")
    [shown] = handed_over
    assert_takeable(at, shown)
    scores, masked, weights = panels(at)
    assert numbers_of(shown, "score") == scores.values.reshape(-1).tolist()
    hidden = np.where(masked.visible, masked.values, -np.inf)
    assert numbers_of(shown, "masked_score") == hidden.reshape(-1).tolist()
    assert numbers_of(shown, "weight") == weights.values.reshape(-1).tolist()
    names = ("score", "masked_score", "weight", "smallest_row_sum", "largest_row_sum")
    assert computed(shown) == numbers_of(shown, *names)


def test_the_line_counts_rows_whose_largest_score_is_hidden(open_masks):
    at = open_masks(masks="scores", attention="decoder self", row="0", layer="1", head="2")
    scores, masked, _weights = panels(at)
    best = scores.values.argmax(axis=-1)
    n = sum(not masked.visible[row, key] for row, key in enumerate(best))
    assert f"In **{n}** of {len(best)} rows the largest score is hidden" in said(at)


@pytest.mark.parametrize("kind", ["gpt2", "llama3", "bert"])
def test_scores_of_one_stack_become_weights(open_alone, handed_over, kind):
    at, run = open_alone(kind, "scores", row="1", layer="1", head="1")
    scores, masked, weights = panels(at)
    hidden = np.where(masked.visible, 0.0, -np.inf)
    assert (~masked.visible).any()
    exponentials = np.exp(scores.values.astype(np.float64) + hidden)
    wanted = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(weights.values, wanted, atol=1e-6)
    assert "rows the largest score is hidden" in said(at)
    [shown] = handed_over
    names = ("score", "masked_score", "weight", "smallest_row_sum", "largest_row_sum")
    assert computed(shown, run.path.parent.parent) == numbers_of(shown, *names)
