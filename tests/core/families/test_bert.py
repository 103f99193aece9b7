import pytest
import torch

from core.families import FAMILIES, FamilyError, load
from tests.core.families.both import assert_equal, opened, tokens
from tests.core.families.random_models import drawn, told, weights


@pytest.mark.parametrize("more", [{"hidden_act": "relu"}, {"type_vocab_size": 3}])
def test_its_variants_equal_those_of_transformers(more):
    assert_equal("bert", **more)


def test_without_a_head_it_makes_vectors_and_no_scores():
    ours = assert_equal("bert without a head")
    assert not ours.config.has_output
    assert not hasattr(ours, "output")
    assert opened(drawn("bert")).config.has_output


def test_old_files_call_the_parts_of_a_norm_gamma_and_beta():
    model = drawn("bert")
    given, old = weights(model), {}
    for name, tensor in given.items():
        norm, _, part = name.rpartition(".")
        greek = {"weight": "gamma", "bias": "beta"}[part] if norm.endswith("LayerNorm") else part
        old[f"{norm}.{greek}"] = tensor
    ids = tokens(9, 1)
    with torch.no_grad():
        found = load(FAMILIES["bert"], told(model), old)(ids, None)
        assert torch.equal(found, opened(model)(ids, None))


@pytest.mark.parametrize(
    ("name", "value"), [("position_embedding_type", "relative_key"), ("is_decoder", True)]
)
def test_another_bert_is_refused_by_what_makes_it_another(name, value):
    model = drawn("bert")
    with pytest.raises(FamilyError, match=name):
        load(FAMILIES["bert"], told(model) | {name: value}, weights(model))
