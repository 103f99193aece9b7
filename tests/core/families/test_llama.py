import pytest
import torch

from core.families import FAMILIES, load
from tests.core.families.both import CLOSE, N_TARGET, assert_equal, opened, tokens
from tests.core.families.random_models import LLAMA3, drawn, told, weights


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("llama", {"tie_word_embeddings": True, "head_dim": 10}),
        ("llama", {"attention_bias": True, "mlp_bias": True, "hidden_act": "gelu"}),
        ("llama", {"num_key_value_heads": 1}),
        ("llama3", {"rms_norm_eps": 1e-3}),
    ],
)
def test_its_variants_equal_those_of_transformers(name, more):
    assert_equal(name, **more)


def test_metas_layout_of_rotary_pairs_gives_the_same_logits():
    model = drawn("llama3")
    given, sizes = weights(model), told(model)
    ours = opened(model)
    meta = dict(given)
    for name, tensor in given.items():
        if "q_proj" in name or "k_proj" in name:
            heads = sizes["num_attention_heads" if "q_proj" in name else "num_key_value_heads"]
            halves = tensor.view(heads, 2, -1, tensor.shape[1])
            meta[name] = halves.transpose(1, 2).reshape(tensor.shape)
    other = load(FAMILIES["llama"], sizes, meta, rotary_pairs="neighbours")
    target = tokens(N_TARGET, 2)
    with torch.no_grad():
        torch.testing.assert_close(other(None, target), ours(None, target), atol=CLOSE, rtol=0)
        assert not torch.allclose(
            load(FAMILIES["llama"], sizes, meta)(None, target), other(None, target)
        )


def test_how_angles_are_scaled_is_read_where_older_files_say_it():
    model = drawn("llama3")
    sizes = told(model)
    older = {name: value for name, value in sizes.items() if name != "rope_parameters"}
    older |= {"rope_theta": LLAMA3["rope_theta"], "rope_scaling": LLAMA3}
    assert load(FAMILIES["llama"], older, weights(model)).config == opened(model).config
