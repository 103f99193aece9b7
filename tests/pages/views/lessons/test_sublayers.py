"""LayerNorm, units, mixing."""

import numpy as np
import pytest

from core.heads import Site
from core.model import Step
from tests.pages.conftest import chart_rows, said, send
from tests.pages.views.lessons.conftest import charts, panels


def test_spreads_before_and_after_a_norm_are_the_models_own(open_lesson, tensors):
    at, shown = open_lesson("norm", layer="1", sublayer="feed-forward")
    moved, spread = charts(at)
    before_KD = tensors[Site("encoder", 1, "feed_forward"), Step.BEFORE_NORM]
    deviation = before_KD.std(axis=-1)
    np.testing.assert_allclose(spread["before"], deviation, rtol=1e-5)
    np.testing.assert_allclose(spread["after LayerNorm"], 1, atol=1e-4)
    assert f"deviation from {deviation.min():.3g} to {deviation.max():.3g} to 1" in said(at)
    # LayerNorm counts no other position: only rounding moves a vector.
    assert max(moved["LayerNorm"]) < 1e-5
    assert f"by up to **{max(moved['BatchNorm']):.2g}**" in shown.seen
    # The older name of a sublayer stays valid.
    assert at.button_group(key="sublayer").value == "feed_forward"


def test_alone_in_its_batch_the_sentence_has_nothing_to_be_moved_by(open_lesson):
    at, shown = open_lesson("norm", others="")
    assert len(charts(at)) == 1
    assert "The sentence is alone in its batch" in shown.seen


def test_all_sublayers_of_the_layer_are_offered_and_no_others(open_gated):
    at, shown = open_gated("norm", layer="0", sublayer="gate")
    assert at.button_group(key="sublayer").options == ["Self-attention", "Gate", "Feed-forward"]
    assert shown.name == "norm.encoder.0.gate"
    at, _shown = open_gated("norm", layer="1")
    assert at.button_group(key="sublayer").options == ["Self-attention", "Feed-forward"]


def test_a_decoder_alone_has_norms_too(open_alone):
    at, shown, _run = open_alone("gpt2", "norm")
    moved, _spread = charts(at)
    # Later positions cannot move a decoder's vectors, and padding comes later.
    assert max(moved["LayerNorm"]) < 1e-5
    assert max(moved["BatchNorm"]) > 1e-3
    assert "under LayerNorm no vector moves" in shown.seen


def test_units_that_fire_are_those_above_zero(open_lesson, tensors):
    at, shown = open_lesson("units", unit_stack="decoder", layer="1", unit_position="3")
    [panel] = panels(at)
    for layer in range(2):
        hidden_KF = tensors[Site("decoder", layer, "feed_forward"), Step.HIDDEN]
        np.testing.assert_allclose(panel.values[layer], (hidden_KF > 0).mean(axis=-1), atol=1e-6)
    unit = int(hidden_KF[3].argmax())
    table = at.table[0].value
    assert (table.iloc[0, 0], table.iloc[0, 1]) == (unit, f"{hidden_KF[3].max():.3g}")
    values = [row["value"] for row in chart_rows(at)]
    np.testing.assert_allclose(values, np.maximum(hidden_KF[:, unit], 0), rtol=1e-5)
    fires = hidden_KF > 0
    assert f"**{100 * fires[3].mean():.1f}".removesuffix(".0") in shown.seen
    others = fires[:, unit].sum() - 1
    assert f"strongest is unit {unit}; it also fires on {others} other" in shown.seen


def test_a_click_on_a_cell_lists_the_units_of_that_layer_and_word(open_lesson):
    at, _shown = open_lesson("units")
    send(at, "pick", {"panel": 0, "row": 2, "column": 8})
    assert at.selectbox(key="layer").value == 2
    assert at.selectbox(key="unit_position").value == 8
    assert any("units of layer 2 that fire most on “it”" in each.label for each in at.expander)


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [("gpt2", "GELU", "a little below 0"), ("llama3", "SiLU", "a gated layer")],
)
def test_the_activation_of_the_model_is_named(open_alone, kind, name, words):
    _at, shown, _run = open_alone(kind, "units", sentence="the animal")
    assert name in shown.formula
    assert name in shown.how_to_read
    assert words in shown.how_to_read


def test_only_attention_mixes_positions(open_lesson):
    at, shown = open_lesson("mixing", layer="2")
    attention, feed_forward = (panel.values for panel in panels(at))
    off = ~np.eye(len(attention), dtype=bool)
    assert (attention[off] > 0).all()
    assert (feed_forward[off] == 0).all()
    assert (np.diag(feed_forward) > 0).all()
    assert f"by up to **{attention[off].max():.2g}** of that" in shown.seen
    assert "the feed-forward layer moves them by **0**" in shown.seen
