import pytest
import torch

from core.families import FAMILIES, FamilyError, load
from core.families.loading import converted
from tests.core.families.random_models import drawn, told, weights


def test_of_a_weight_that_is_there_twice_both_must_be_equal():
    model = drawn("t5")
    given = weights(model)
    assert torch.equal(given["shared.weight"], given["encoder.embed_tokens.weight"])
    given["encoder.embed_tokens.weight"] += 1
    with pytest.raises(FamilyError, match="encoder.embed_tokens.weight differs from another"):
        converted(FAMILIES["t5"], given, "all")


def test_half_precision_is_read_as_single_precision():
    model = drawn("gpt2")
    halves = {name: each.half() for name, each in weights(model).items()}
    ours = load(FAMILIES["gpt2"], told(model), halves)
    assert {each.dtype for each in ours.parameters()} == {torch.float32}
