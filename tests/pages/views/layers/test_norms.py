import numpy as np
import pyarrow as pa
import pytest

from core.heads import Site
from core.model import Step
from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of


def charts(at):
    """Return each chart's rows, series → values."""
    found = []
    for chart in at.get("vega_lite_chart"):
        series = {}
        for row in pa.ipc.open_stream(chart.proto.datasets[0].data.data).read_all().to_pylist():
            series.setdefault(row["series"], []).append(row["value"])
        found.append(series)
    return found


def test_spreads_before_and_after_a_norm_are_the_models_own(open_layers, tensors, run):
    at = open_layers(layers="norms", layer="1", sublayer="feed-forward")
    site = Site("encoder", 1, "feed_forward")
    spread, _moved = charts(at)
    before_KD = tensors[site, Step.BEFORE_NORM].astype(np.float64)
    np.testing.assert_allclose(spread["before"], before_KD.std(axis=-1), rtol=1e-5)
    np.testing.assert_allclose(spread["after LayerNorm"], 1, atol=1e-4)
    deviation = before_KD.std(axis=-1)
    wanted = f"spread by {deviation.min():.3g} to {deviation.max():.3g} (standard deviation)"
    assert wanted in said(at)
    assert "by **1** after it" in said(at)


def test_alone_in_its_batch_the_sentence_has_nothing_to_be_moved_by(open_layers):
    at = open_layers(layers="norms", others="")
    assert len(charts(at)) == 1
    assert "The sentence is alone in its batch" in said(at)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_layers, handed_over, tensors
):
    at = open_layers(layers="norms", layer="1", sublayer="feed-forward", others="The cat slept.")
    [shown] = handed_over
    assert_takeable(at, shown)
    spread, moved = charts(at)
    studied = ("layer_norm", "batch_norm", "batch_norm_padded")
    drawn = [value for values in moved.values() for value in values]
    assert numbers_of(shown, *studied[:2]) == drawn
    ranges = ("deviation_before", "deviation_normalised", "deviation_after")
    drawn = [value for values in spread.values() for value in values]
    assert numbers_of(shown, *ranges[:2]) == drawn
    after_KD = tensors[Site("encoder", 1, "feed_forward"), Step.AFTER_NORM].astype(np.float64)
    assert numbers_of(shown, ranges[2]) == pytest.approx(after_KD.std(axis=-1), rel=1e-5)
    site = Site("encoder", 1, "feed_forward")
    for name, step in (("before", Step.BEFORE_NORM), ("after", Step.AFTER_NORM)):
        wanted = tensors[site, step].reshape(-1)
        np.testing.assert_allclose(numbers_of(shown, name), wanted, rtol=1e-4, atol=1e-5)
    columns = (*studied, "mean_before", *ranges, "before", "after")
    assert computed(shown) == numbers_of(shown, *columns)


def test_all_sublayers_of_the_layer_are_offered_and_no_others(open_gated, open_layers):
    at = open_gated(layers="norms", layer="0")
    assert at.button_group(key="sublayer").options == ["Self-attention", "Gate", "Feed-forward"]
    for at in (open_gated(layers="norms", layer="1"), open_layers(layers="norms")):
        assert at.button_group(key="sublayer").options == ["Self-attention", "Feed-forward"]


def test_an_invented_sublayer_is_studied_without_being_known(open_gated, handed_over):
    open_gated(layers="norms", layer="0", sublayer="gate")
    [shown] = handed_over
    assert 'site = Site("encoder", 0, "gate")' in shown.snippet()
    assert all(shown.columns()["deviation_before"][:3])


@pytest.mark.parametrize(
    ("older", "name"), [("self-attention", "self"), ("feed-forward", "feed_forward")]
)
def test_links_by_the_older_names_of_the_sublayers_stay_valid(open_layers, older, name):
    at = open_layers(layers="norms", sublayer=older)
    assert at.button_group(key="sublayer").value == name


def test_the_line_says_how_far_batch_norm_moves_the_sentence(open_layers):
    at = open_layers(layers="norms")
    _spread, moved = charts(at)
    text = said(at).replace("−", "-")
    assert f"by up to **{max(moved['BatchNorm']):.2g}" in text


def test_a_decoder_alone_has_norms_too(open_layers, opened_path, elsewhere, handed_over):
    elsewhere("OWN", opened_path("gpt2").parent)
    query = {"sentence": "the animal is tired", "others": "it was too tired to cross the street"}
    at = open_layers(layers="norms", model="runs/gpt2", **query)
    [shown] = handed_over
    assert not at.error
    # Later positions cannot move a decoder's vectors, and padding comes later.
    assert max(numbers_of(shown, "layer_norm")) < 1e-5
    assert max(numbers_of(shown, "batch_norm")) > 1e-3
    names = ("layer_norm", "batch_norm", "batch_norm_padded", "mean_before")
    again = computed(shown, opened_path("gpt2").parents[1])
    assert again[: len(numbers_of(shown, *names))] == numbers_of(shown, *names)
