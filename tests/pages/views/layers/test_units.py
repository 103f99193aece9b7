import numpy as np
import pytest

from core.heads import Site
from core.model import Step
from tests.pages.conftest import chart_rows, said, send
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.layers.conftest import panels, table


def test_units_that_fire_are_those_above_zero(open_layers, tensors):
    at = open_layers(layers="units", unit_stack="decoder", layer="1", unit_position="3")
    [panel] = panels(at)
    for layer in range(2):
        hidden = tensors[Site("decoder", layer, "feed_forward"), Step.HIDDEN]
        np.testing.assert_allclose(panel.values[layer], (hidden > 0).mean(axis=-1), atol=1e-6)
    hidden = tensors[Site("decoder", 1, "feed_forward"), Step.HIDDEN]
    assert table(at).iloc[0, 0] == hidden[3].argmax()
    assert table(at).iloc[0, 1] == f"{hidden[3].max():.3g}"


def test_a_click_on_a_cell_lists_the_units_of_that_layer_and_word(open_layers):
    at = open_layers(layers="units")
    send(at, "pick", {"panel": 0, "row": 2, "column": 8})
    assert at.selectbox(key="layer").value == 2
    assert at.selectbox(key="unit_position").value == 8
    assert any("units of layer 2 that fire most on “it”" in each.label for each in at.expander)


def test_the_strongest_unit_is_drawn_on_every_token(open_layers, tensors):
    at = open_layers(layers="units", layer="1", unit_position="8")
    hidden_KF = tensors[Site("encoder", 1, "feed_forward"), Step.HIDDEN]
    unit = int(hidden_KF[8].argmax())
    values = [row["value"] for row in chart_rows(at)]
    np.testing.assert_allclose(values, np.maximum(hidden_KF[:, unit], 0), rtol=1e-5)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_layers, handed_over):
    at = open_layers(layers="units", unit_stack="decoder", layer="1", unit_position="3")
    [shown] = handed_over
    assert_takeable(at, shown)
    [panel] = panels(at)
    np.testing.assert_allclose(numbers_of(shown, "share"), panel.values.reshape(-1), rtol=1e-6)
    names = ("share", "share_on_no_token", "share_on_all_tokens", "value")
    assert computed(shown) == numbers_of(shown, *names)


def test_the_line_counts_units_that_never_fire_and_names_the_strongest(open_layers, tensors):
    at = open_layers(layers="units", unit_stack="encoder", layer="1", unit_position="8")
    hidden_KF = tensors[Site("encoder", 1, "feed_forward"), Step.HIDDEN]
    fires = hidden_KF > 0
    text = said(at)
    assert f"**{100 * fires[8].mean():.1f}".removesuffix(".0") in text
    assert f"; {100 * (~fires.any(axis=0)).mean():.1f}".removesuffix(".0") in text
    unit = int(hidden_KF[8].argmax())
    others = int(fires[:, unit].sum()) - 1
    assert f"strongest there is unit {unit}; it also fires on {others} other" in text


BELOW_ZERO = {"gpt2": ("GELU", "a little below 0"), "llama3": ("SiLU", "a gated layer")}


@pytest.mark.parametrize("kind", BELOW_ZERO)
def test_the_activation_of_the_model_is_named(
    open_layers, opened_path, elsewhere, handed_over, kind
):
    elsewhere("OWN", opened_path(kind).parent)
    at = open_layers(layers="units", model=f"runs/{kind}", sentence="the animal")
    [shown] = handed_over
    formula, words = BELOW_ZERO[kind]
    assert formula in shown.formula
    assert formula in shown.how_to_read
    assert words in shown.how_to_read
    assert "ReLU" not in said(at)
