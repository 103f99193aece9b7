"""Architectures that open only with some care, and one of which only half can be followed."""

import pytest

from benchmarks.architectures import architectures, outcome

EXPECTED = {
    # Its encoder has experts.
    "SwitchTransformersForConditionalGeneration": "opened",
    # Its settings hold infinity.
    "FalconH1ForCausalLM": "opened",
    # Its encoder attends within blocks, its decoder to all positions.
    "LongT5ForConditionalGeneration": "refused",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_an_architecture_opens_as_expected(name):
    [architecture] = [each for each in architectures() if each.name == name]
    what, _ = outcome(architecture)
    assert what == EXPECTED[name]
