import re

import pytest
import torch

from core.families import FAMILIES, FamilyError, load
from core.families.loading import converted
from tests.core.families.random_models import MODELS, drawn, told, weights


@pytest.mark.parametrize("name", MODELS)
def test_a_weight_too_many_or_too_few_is_named(name):
    model = drawn(name)
    given, sizes = weights(model), told(model)
    family = FAMILIES[sizes["model_type"]]
    with pytest.raises(FamilyError, match=f"mystery.weight is no weight .* {family.label} model"):
        load(family, sizes, {**given, "mystery.weight": torch.ones(2)})
    needed = next(name for name in given if re.search(r"(?i)(norm|ln_1).*weight", name))
    with pytest.raises(FamilyError, match="is in no file of this"):
        load(family, sizes, {name: each for name, each in given.items() if name != needed})


@pytest.mark.parametrize(
    ("model", "wrong", "shape"),
    [
        ("gpt2", "transformer.h.0.attn.c_attn.weight", (2, 3, 4)),
        ("gpt2", "transformer.h.0.attn.c_attn.bias", (2,)),
        ("gpt2", "transformer.h.0.mlp.c_fc.weight", (2, 3, 4)),
    ],
)
def test_a_weight_of_which_nothing_can_be_made_is_named_with_its_shape(model, wrong, shape):
    found = drawn(model)
    given, sizes = weights(found) | {wrong: torch.ones(shape)}, told(found)
    with pytest.raises(FamilyError, match=re.escape(f"{wrong} is {shape}, which no GPT-2 model")):
        load(FAMILIES["gpt2"], sizes, given)


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
