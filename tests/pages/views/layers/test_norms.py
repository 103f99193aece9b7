import numpy as np
import pytest

from core.heads import Site
from core.model import Step
from tests.pages.conftest import chart_rows, said
from tests.pages.views.conftest import assert_takeable, computed, numbers_of
from tests.pages.views.layers.conftest import panels


def test_vectors_before_and_after_a_norm_are_the_models_own(open_layers, tensors):
    at = open_layers(layers="norms", layer="1", sublayer="feed-forward")
    site = Site("encoder", 1, "feed_forward")
    for index, step in enumerate((Step.BEFORE_NORM, Step.AFTER_NORM)):
        [panel] = panels(at, index)
        np.testing.assert_allclose(panel.values, tensors[site, step], atol=1e-5)
    deviation = tensors[site, Step.BEFORE_NORM].std(axis=-1)
    assert f"before {deviation.min():.3g} … {deviation.max():.3g}" in said(at)
    assert "normalised 1 … 1" in said(at)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_layers, handed_over):
    at = open_layers(layers="norms", layer="1", sublayer="feed-forward", others="The cat slept.")
    [shown] = handed_over
    assert_takeable(at, shown)
    studied = ("layer_norm", "batch_norm", "batch_norm_padded")
    assert numbers_of(shown, *studied) == [row["value"] for row in chart_rows(at)]
    for index, name in enumerate(("before", "after")):
        [panel] = panels(at, index)
        np.testing.assert_allclose(numbers_of(shown, name), panel.values.reshape(-1), rtol=1e-6)
    ranges = ("mean_before", "deviation_before", "deviation_normalised", "deviation_after")
    assert computed(shown) == numbers_of(shown, *studied, *ranges, "before", "after")


def test_all_sublayers_of_the_layer_are_offered_and_no_others(open_gated, open_layers):
    at = open_gated(layers="norms", layer="0")
    assert at.button_group(key="sublayer").options == ["Self-attention", "Gate", "Feed-forward"]
    for at in (open_gated(layers="norms", layer="1"), open_layers(layers="norms")):
        assert at.button_group(key="sublayer").options == ["Self-attention", "Feed-forward"]


def test_an_invented_sublayer_is_studied_without_being_known(open_gated, handed_over):
    open_gated(layers="norms", layer="0", sublayer="gate")
    [shown] = handed_over
    assert 'site = Site("encoder", 0, "gate")' in shown.python
    assert all(shown.numbers()["deviation_before"][:3])


@pytest.mark.parametrize(
    ("older", "name"), [("self-attention", "self"), ("feed-forward", "feed_forward")]
)
def test_links_by_the_older_names_of_the_sublayers_stay_valid(open_layers, older, name):
    at = open_layers(layers="norms", sublayer=older)
    assert at.button_group(key="sublayer").value == name


def test_the_line_says_how_far_batch_norm_moves_the_sentence(open_layers):
    at = open_layers(layers="norms")
    moved = {}
    for row in chart_rows(at):
        moved.setdefault(row["series"], []).append(row["value"] if "value" in row else row["y"])
    text = said(at).replace("−", "-")
    assert f"by up to **{max(moved['BatchNorm']):.2g}" in text
