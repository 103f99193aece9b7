import pytest

from core.families import FAMILIES, load
from tests.core.families.both import assert_equal
from tests.core.families.random_models import drawn, told, weights


@pytest.mark.parametrize(
    "more",
    [
        {"num_layers": 1},
        {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 20},
        {"feed_forward_proj": "gated-silu"},
    ],
)
def test_its_variants_equal_those_of_transformers(more):
    assert_equal("t5", **more)


def test_what_is_tied_is_seen_in_the_weights_whatever_the_settings_say():
    shared, own = drawn("t5"), drawn("t5 with its own head")
    for said in (True, False):
        sizes = {"tie_word_embeddings": said}
        tied = load(FAMILIES["t5"], told(shared) | sizes, weights(shared)).config
        untied = load(FAMILIES["t5"], told(own) | sizes, weights(own)).config
        assert (tied.tied, untied.tied) == ("all", "embeddings")
    without = {name: each for name, each in weights(shared).items() if name != "lm_head.weight"}
    assert load(FAMILIES["t5"], told(shared), without).config.tied == "all"
