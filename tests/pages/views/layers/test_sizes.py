import html

import pytest

from core.families.published import PUBLISHED
from core.model import count_parameters
from tests.pages.conftest import chart_rows, component, said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from viz.architecture.architecture import unpack


def drawn(at):
    return unpack(component(at, "architecture").bytes)


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda each: each.name)
def test_a_published_model_is_drawn_and_counted(open_layers, published):
    at = open_layers(layers="sizes", published=published.name, model="copy")
    picture, config = drawn(at), published.config
    assert [stack.name for stack in picture.stacks] == list(config.stacks)
    assert [len(stack.layers) for stack in picture.stacks] == [
        config.layers_of(stack) for stack in config.stacks
    ]
    text = said(at).replace("&#45;", "-")
    assert f"has **{count_parameters(config):,}** parameters, as published" in text


def test_a_link_chooses_a_part_and_another_model_begins_anew(open_layers):
    at = open_layers(layers="sizes", published="gpt2", published_part="decoder.3.feed_forward")
    assert drawn(at).selected == "decoder.3.feed_forward"
    at.selectbox(key="published").set_value("bert-base").run()
    assert not at.exception
    assert drawn(at).selected == "encoder.0.self"


def test_heads_that_share_keys_and_values_are_counted(open_layers):
    at = open_layers(layers="sizes", published="llama-3-8b")
    [facts] = [each.value for each in at.table]
    told = [html.unescape(each) for each in facts.iloc[:, 1]]
    assert "32 of width 128, 8 sets of keys and values" in told


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_layers, handed_over):
    at = open_layers(layers="sizes", model="copy")
    [shown] = handed_over
    assert_takeable(at, shown)
    groups = [name for name in shown.columns() if name in {row["series"] for row in chart_rows(at)}]
    assert len(groups) == 4
    assert computed(shown) == numbers_of(shown, *groups)
    assert shown.columns()["published"] == [each.parameters for each in PUBLISHED]
