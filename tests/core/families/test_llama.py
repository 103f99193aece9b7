import pytest

from core.families import FAMILIES, load
from tests.core.families.both import assert_equal, opened
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


def test_how_angles_are_scaled_is_read_where_older_files_say_it():
    model = drawn("llama3")
    sizes = told(model)
    older = {name: value for name, value in sizes.items() if name != "rope_parameters"}
    older |= {"rope_theta": LLAMA3["rope_theta"], "rope_scaling": LLAMA3}
    assert load(FAMILIES["llama"], older, weights(model)).config == opened(model).config
