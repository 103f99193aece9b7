import numpy as np

from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.masks.conftest import panels, texts


def test_the_prefix_table_is_the_mask_and_both_compute_the_same(open_masks):
    at = open_masks(masks="prefixes")
    table, mask = panels(at)
    np.testing.assert_array_equal(table.visible, mask.visible)
    fed = texts(mask.columns)
    for row, words in enumerate(table.texts):
        assert [word for word in words if word] == fed[: row + 1]
    n = len(fed)
    assert f"cost **{n * (n + 1) // 2}** decoder positions, in one masked pass **{n}**" in said(at)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_masks, handed_over):
    at = open_masks(masks="prefixes", model="translate")
    [shown] = handed_over
    assert_takeable(at, shown)
    for panel in panels(at):
        assert numbers_of(shown, "fed") == panel.visible.astype(float).reshape(-1).tolist()
    cost = ("positions_alone", "positions_together", "largest_difference")
    assert computed(shown) == numbers_of(shown, "fed", *cost)
