import numpy as np

from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.layers.conftest import panels


def test_only_attention_mixes_positions(open_layers):
    attention, feed_forward = panels(open_layers(layers="mixing", layer="2"))
    off = ~np.eye(len(attention.values), dtype=bool)
    assert (attention.values[off] > 0).all()
    assert (feed_forward.values[off] == 0).all()
    assert (np.diag(feed_forward.values) > 0).all()


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_layers, handed_over):
    at = open_layers(layers="mixing", layer="1")
    [shown] = handed_over
    assert_takeable(at, shown)
    for panel, name in zip(panels(at), ("self_attention", "feed_forward"), strict=True):
        np.testing.assert_allclose(numbers_of(shown, name), panel.values.reshape(-1), rtol=1e-6)
    assert computed(shown) == numbers_of(shown, "self_attention", "feed_forward")


def test_a_link_that_was_made_when_the_view_was_called_sides_opens_it(open_layers):
    at = open_layers(layers="sides", layer="1")
    assert at.segmented_control(key="layers").value == "mixing"
    assert [panel.values.tolist() for panel in panels(at)] == [
        panel.values.tolist() for panel in panels(open_layers(layers="mixing", layer="1"))
    ]


def test_the_line_says_how_far_other_words_move(open_layers):
    at = open_layers(layers="mixing", layer="1")
    attention, forward = (panel.values for panel in panels(at))
    off = ~np.eye(len(attention), dtype=bool)
    text = said(at).replace("−", "-")
    assert f"by up to **{attention[off].max():.2g}** of that" in text
    assert forward[off].max() == 0
    assert "the feed-forward layer moves them by **0**" in text
