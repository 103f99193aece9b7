import re

import pytest
import torch

from core.families import FAMILIES, FamilyError, load
from core.families.family import Settings
from core.families.loading import converted
from core.model import Cache, Record
from tests.core.families.both import CLOSE, assert_equal, opened, tokens
from tests.core.families.random_models import MODELS, drawn, told, weights


@pytest.mark.parametrize("name", MODELS)
def test_logits_and_every_map_are_those_of_transformers(name):
    assert_equal(name)


@pytest.mark.parametrize("name", MODELS)
def test_looking_changes_nothing(name):
    ours = opened(drawn(name))
    source = tokens(12, 3) if "encoder" in ours.config.stacks else None
    target = tokens(9, 4) if "decoder" in ours.config.stacks else None
    with torch.no_grad():
        if not ours.config.has_output:
            plain, probed = ours.encode(source), ours.encode(source, Record())
        else:
            plain, probed = ours(source, target), ours(source, target, Record())
    torch.testing.assert_close(probed, plain, atol=CLOSE, rtol=0)


@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("bert")])
def test_with_a_cache_each_token_gets_what_it_gets_in_one_pass(name):
    ours, target, cache = opened(drawn(name)), tokens(11, 5), Cache()
    memory = ours.encode(tokens(7, 6)) if "encoder" in ours.config.stacks else None
    with torch.no_grad():
        whole = ours.decode(target, memory, None)
        made = [ours.decode(part, memory, None, None, cache) for part in target.split([4, 1, 6], 1)]
    torch.testing.assert_close(torch.cat(made, 1), whole, atol=CLOSE, rtol=0)


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


@pytest.mark.parametrize("name", MODELS)
def test_a_weight_of_another_shape_is_named_with_both(name):
    model = drawn(name)
    given, sizes = weights(model), told(model)
    wrong = next(name for name in given if re.search(r"(?i)(norm|ln_1).*weight", name))
    given[wrong] = torch.ones(5)
    with pytest.raises(FamilyError, match=r"is \(5,\), where this .* model has \(24,\)"):
        load(FAMILIES[sizes["model_type"]], sizes, given)


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


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda s: s.number("n"), "n is None, not a whole number"),
        (lambda s: s.number("flag"), "flag is True, not a whole number"),
        (lambda s: s.fraction("text"), "text is 'x', not a number"),
        (lambda s: s.flag("text", default=True), "text is 'x', not true or false"),
        (lambda s: s.activation("text", "relu"), "text is 'x'; known are relu, gelu"),
        (lambda s: s.expect("text", "y", "z"), "text is 'x'; only 'y' or 'z' is known"),
        (lambda s: s.size(r"a\.b"), "there is no weight a.b"),
        (lambda s: s.size(r"(?:a\.)?b\.(c|d)\.w"), "there is no weight b.c.w"),
        (lambda s: s.size("vector", axis=1), "vector has 1 axes"),
    ],
)
def test_a_setting_that_cannot_be_is_named(ask, said):
    with pytest.raises(FamilyError, match=re.escape(said)):
        ask(Settings({"text": "x", "flag": True}, {"vector": torch.ones(3)}))
