from dataclasses import replace

from core.describe.formulas import formulas
from core.heads import Site
from core.model.attention import MultiHeadAttention

SITE, CROSS = Site("decoder", 1, "self"), Site("decoder", 1, "cross")


def test_without_biases_no_formula_has_one(small_config):
    attention = MultiHeadAttention(replace(small_config, attention_bias=False), SITE)
    assert not any("b^" in text for text in formulas(attention, 0).values())
    whole = formulas(MultiHeadAttention(small_config, SITE), 0)
    assert sum("b^" in text for text in whole.values()) == 4
