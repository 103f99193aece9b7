"""Architectures that need something of their own to open."""

import pytest

from benchmarks.architectures import architectures, outcome

NAMES = ("SwitchTransformersForConditionalGeneration", "FalconH1ForCausalLM")
"""One whose encoder has experts, one whose settings hold infinity."""


@pytest.mark.parametrize("name", NAMES)
def test_an_architecture_that_was_refused_once_opens(name):
    [architecture] = [each for each in architectures() if each.name == name]
    what, _ = outcome(architecture)
    assert what == "opened"
