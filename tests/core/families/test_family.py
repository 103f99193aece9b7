"""Models of every family: the same with the same weights here and in `transformers`."""

import pytest
import torch

from core.families import FAMILIES, FamilyError, load
from core.families.loading import converted
from core.model import Cache
from tests.core.families.both import CLOSE, assert_equal, opened, tokens
from tests.core.families.random_models import LLAMA3, MODELS, V, drawn, told, weights

VARIANTS = [
    *((name, {}) for name in MODELS),
    ("bert", {"hidden_act": "relu"}),
    ("bert", {"type_vocab_size": 3}),
    ("gpt2", {"n_inner": 30, "activation_function": "relu"}),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True}),
    ("gpt2", {"scale_attn_weights": False}),
    ("gpt2", {"tie_word_embeddings": False}),
    ("llama", {"tie_word_embeddings": True, "head_dim": 10}),
    ("llama", {"attention_bias": True, "mlp_bias": True, "hidden_act": "gelu"}),
    ("llama", {"num_key_value_heads": 1}),
    ("llama3", {"rms_norm_eps": 1e-3}),
    ("marian", {"decoder_vocab_size": V + 7, "share_encoder_decoder_embeddings": False}),
    ("marian", {"activation_function": "relu", "scale_embedding": False}),
    ("marian", {"encoder_layers": 1, "decoder_layers": 1}),
    ("t5", {"num_layers": 1}),
    ("t5", {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 20}),
    ("t5", {"feed_forward_proj": "gated-silu"}),
]


@pytest.mark.parametrize(("name", "more"), VARIANTS)
def test_logits_and_every_map_are_those_of_transformers(name, more):
    assert_equal(name, **more)


@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("bert")])
def test_with_a_cache_each_token_gets_what_it_gets_in_one_pass(name):
    ours, target, cache = opened(drawn(name)), tokens(11, 5), Cache()
    memory = ours.encode(tokens(7, 6)) if "encoder" in ours.config.stacks else None
    with torch.no_grad():
        whole = ours.decode(target, memory, None)
        made = [ours.decode(part, memory, None, None, cache) for part in target.split([4, 1, 6], 1)]
    torch.testing.assert_close(torch.cat(made, 1), whole, atol=CLOSE, rtol=0)


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


def test_masks_that_old_files_hold_are_no_weights():
    model = drawn("gpt2")
    given = weights(model)
    # The name of a bias that there is ends in the same word.
    assert "transformer.h.0.attn.c_attn.bias" in given
    masks = {"transformer.h.0.attn.bias": torch.ones(1, 1, 64, 64)}
    masks["transformer.h.0.attn.masked_bias"] = torch.tensor(-1e4)
    ours = load(FAMILIES["gpt2"], told(model), {**given, **masks})
    assert torch.equal(ours.state_dict()["output.weight"], given["transformer.wte.weight"])


def test_how_angles_are_scaled_is_read_where_older_files_say_it():
    model = drawn("llama3")
    sizes = told(model)
    older = {name: value for name, value in sizes.items() if name != "rope_parameters"}
    older |= {"rope_theta": LLAMA3["rope_theta"], "rope_scaling": LLAMA3}
    assert load(FAMILIES["llama"], older, weights(model)).config == opened(model).config


def test_a_target_begins_with_padding_and_sees_it():
    ours = opened(drawn("marian"))
    pad = ours.config.pad_id
    with torch.no_grad():
        one, other = (ours(torch.tensor([[5, 6]]), torch.tensor([[pad, each]])) for each in (7, 8))
    assert torch.equal(one[:, 0], other[:, 0])
    assert one.isfinite().all()


def test_what_is_tied_is_seen_in_the_weights_whatever_the_settings_say():
    shared, own = drawn("t5"), drawn("t5 with its own head")
    for said in (True, False):
        sizes = {"tie_word_embeddings": said}
        tied = load(FAMILIES["t5"], told(shared) | sizes, weights(shared)).config
        untied = load(FAMILIES["t5"], told(own) | sizes, weights(own)).config
        assert (tied.tied, untied.tied) == ("all", "embeddings")
    without = {name: each for name, each in weights(shared).items() if name != "lm_head.weight"}
    assert load(FAMILIES["t5"], told(shared), without).config.tied == "all"


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
