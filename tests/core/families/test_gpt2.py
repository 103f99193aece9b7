import pytest
import torch

from core.families import FAMILIES, load
from tests.core.families.both import assert_equal
from tests.core.families.random_models import drawn, told, weights


@pytest.mark.parametrize(
    "more",
    [
        {"n_inner": 30, "activation_function": "relu"},
        {"scale_attn_by_inverse_layer_idx": True},
        {"scale_attn_weights": False},
        {"tie_word_embeddings": False},
    ],
)
def test_its_variants_equal_those_of_transformers(more):
    assert_equal("gpt2", **more)


def test_masks_that_old_files_hold_are_no_weights():
    model = drawn("gpt2")
    given = weights(model)
    # The name of a bias that there is ends in the same word.
    assert "transformer.h.0.attn.c_attn.bias" in given
    masks = {"transformer.h.0.attn.bias": torch.ones(1, 1, 64, 64)}
    masks["transformer.h.0.attn.masked_bias"] = torch.tensor(-1e4)
    ours = load(FAMILIES["gpt2"], told(model), {**given, **masks})
    assert torch.equal(ours.state_dict()["output.weight"], given["transformer.wte.weight"])
