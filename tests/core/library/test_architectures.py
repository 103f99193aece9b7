"""Architectures that open only with some care, and some that cannot be followed, with why."""

import pytest

from benchmarks.architectures import architectures, outcome

OUTSIDE = "computes attention outside of a list of whole layers"
EXPECTED = {
    # Its encoder has experts.
    "SwitchTransformersForConditionalGeneration": ("opened", ""),
    # Its settings hold infinity.
    "FalconH1ForCausalLM": ("opened", ""),
    # Its encoder attends within blocks, its decoder to all positions.
    "LongT5ForConditionalGeneration": ("refused", "was seen in its encoder"),
    # Its decoder attends to the source and to itself at once.
    "T5Gemma2ForConditionalGeneration": ("refused", "was seen in its decoder"),
    # Attentions and feed-forward networks stand in a list each.
    "XLMWithLMHeadModel": ("refused", f"transformer.attentions.0 {OUTSIDE}"),
    # Its layers stand in blocks.
    "FunnelForMaskedLM": ("refused", f"encoder.blocks.0.0.attention {OUTSIDE}"),
    # It scales what it adds, and names the arguments of its matrices.
    "IBertForMaskedLM": ("refused", "ibert.encoder.layer.0 does not add to a stream"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_an_architecture_opens_as_expected(name):
    [architecture] = [each for each in architectures() if each.name == name]
    what, why = outcome(architecture)
    assert what == EXPECTED[name][0]
    assert EXPECTED[name][1] in why
