from dataclasses import replace

import pytest

from core.describe.formulas import Stage, formulas
from core.heads import Site
from core.model.attention import MultiHeadAttention

SITE, CROSS = Site("decoder", 1, "self"), Site("decoder", 1, "cross")
ONLY_SOME = (Stage.TURNED_QUERIES, Stage.TURNED_KEYS, Stage.SCALE, Stage.POSITION_BIAS)


@pytest.mark.parametrize(
    ("settings", "site", "has"),
    [
        ({}, SITE, {Stage.SCALE}),
        (
            {"positions": "rotary", "d_k": 6},
            SITE,
            {Stage.SCALE, Stage.TURNED_QUERIES, Stage.TURNED_KEYS},
        ),
        # What is looked at across has no positions of its own in the scores.
        ({"positions": "rotary", "d_k": 6}, CROSS, {Stage.SCALE}),
        ({"positions": "buckets", "score_scale": "none"}, SITE, {Stage.POSITION_BIAS}),
        ({"score_scale": "none"}, SITE, set()),
        ({"score_scale": "width_and_layer"}, SITE, {Stage.SCALE}),
    ],
)
def test_a_head_has_only_the_stages_that_it_goes_through(small_config, settings, site, has):
    attention = MultiHeadAttention(replace(small_config, **settings), site)
    found = formulas(attention, 0)
    assert {stage for stage in ONLY_SOME if stage in found} == has
    assert [stage for stage in Stage if stage in found] == list(found)


def test_without_biases_no_formula_has_one(small_config):
    attention = MultiHeadAttention(replace(small_config, attention_bias=False), SITE)
    assert not any("b^" in text for text in formulas(attention, 0).values())
    whole = formulas(MultiHeadAttention(small_config, SITE), 0)
    assert sum("b^" in text for text in whole.values()) == 4
