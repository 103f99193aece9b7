import pytest
import tokenizers
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from transformers import PreTrainedTokenizerFast

from core.watch import Override, Patch, Silence, watch
from core.watch.interception import Scores
from tests.core.watch import written_by_hand
from tests.core.watch.random_models import inputs_of, model_of
from tests.core.watch.written_by_hand import KINDS, V, drawn, kept_weights

NAMES = ["bert", "gpt2", "llama 3", "gemma 3", "t5", "bart", "vit"]
ATTENTIONS = ("encoder_attentions", "attentions", "decoder_attentions", "cross_attentions")
GREEDY = {"do_sample": False, "max_new_tokens": 6, "min_new_tokens": 6}


@st.composite
def attentions(draw):
    """Arguments of the fused kernel: any mask, scale and number of heads that share keys."""
    batch, n_keys, n_queries = (draw(st.integers(1, 4)) for _ in range(3))
    n_key_heads, n_shared = draw(st.integers(1, 3)), draw(st.sampled_from([1, 2]))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 99)))
    query = torch.randn(batch, n_key_heads * n_shared, n_queries, 5, generator=generator)
    key, value = torch.randn(2, batch, n_key_heads, n_keys, 5, generator=generator)
    mask = torch.randn(batch, 1, n_queries, n_keys, generator=generator)
    masks = [None, mask, (mask > 0.3).index_fill(3, torch.tensor([0]), True)]
    named = {"attn_mask": draw(st.sampled_from(masks))}
    named["is_causal"] = named["attn_mask"] is None and draw(st.booleans())
    named["scale"] = draw(st.sampled_from([None, 0.3]))
    return query, key, value, named


@given(attentions())
def test_weights_times_values_are_what_the_kernel_returns(arguments):
    query, key, value, named = arguments
    scores = Scores(query, key, named["attn_mask"], named["is_causal"], named["scale"])
    kernel = F.scaled_dot_product_attention(query, key, value, **named, enable_gqa=True)
    assert torch.allclose(scores.weights() @ scores.for_each_head(value), kernel, atol=1e-5)
    assert torch.equal(scores.weights() > 0.0, scores.visible())


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_those_of_eager_attention_and_the_output_stays(name):
    model, inputs = model_of(name, "sdpa"), inputs_of(name)
    with torch.no_grad():
        before = model(**inputs)[0]
        eager = model_of(name, "eager")(**inputs, output_attentions=True)
        with watch(model) as seen:
            after = model(**inputs)[0]
    maps = [each for attribute in ATTENTIONS for each in getattr(eager, attribute, None) or ()]
    assert torch.equal(before, after)
    assert len(seen) == len(maps) > 0
    for module in seen.values():
        fitting = [each for each in maps if each.shape == module.weights.shape]
        assert any(torch.allclose(module.weights, each, atol=1e-5) for each in fitting), module.name


@pytest.mark.parametrize("kind", KINDS)
def test_models_written_by_hand_are_seen(kind):
    model, inputs = drawn(kind)
    kept = kept_weights(model, *inputs)
    with watch(model) as seen:
        model(*inputs)
    assert list(seen) == list(kept)
    for name, weights_BHQK in kept.items():
        assert torch.allclose(seen[name].calls[-1].weights_BHQK, weights_BHQK, atol=1e-6)


@pytest.mark.parametrize("name", ["llama 3", "gemma 3", "gpt-oss", "t5", "bart"])
def test_generation_with_a_cache_is_one_map_and_gives_the_same_tokens(name):
    model = model_of(name, "eager" if name == "gpt-oss" else "sdpa")
    inputs = {key: ids for key, ids in inputs_of(name).items() if key != "decoder_input_ids"}
    if not model.config.is_encoder_decoder:
        # Generation goes on from the end, so padding stands on the left.
        inputs = {key: ids.flip(1) for key, ids in inputs.items()}
    tokens = model.generate(**inputs, **GREEDY)
    with watch(model) as seen:
        assert torch.equal(model.generate(**inputs, **GREEDY), tokens)
    with watch(model) as whole, torch.no_grad():
        if model.config.is_encoder_decoder:
            model(**inputs, decoder_input_ids=tokens[:, :-1])
        else:
            attended = F.pad(inputs["attention_mask"], (0, 5), value=1)
            model(tokens[:, :-1], attention_mask=attended)
    for each in seen.values():
        visible = whole[each.name].visible
        assert torch.allclose(each.weights, whole[each.name].weights.where(visible, 0.0), atol=1e-5)
    *_, last = seen.values()
    source = tokens[0, :-1] if "input_ids" not in inputs else inputs["input_ids"][0]
    columns = source if model.config.is_encoder_decoder else tokens[0, :-1]
    assert last.rows() == [str(token) for token in tokens[0, :-1].tolist()]
    assert last.columns() == [str(token) for token in columns.tolist()]


def test_a_cache_of_ones_own_is_noticed():
    model, (ids,) = drawn(written_by_hand.FusedGPT)
    with watch(model) as seen:
        _, cache = model(ids[:, :3])
        _, cache = model(ids[:, 3:4], cache)
        model(ids[:, 4:], cache)
        model(ids[:, :2])
    assert [call.first for call in seen["h.1"].calls] == [0, 3, 4, 0]
    with watch(model) as whole:
        model(ids)
    del seen["h.1"].calls[3:]
    assert torch.allclose(seen["h.1"].weights, whole["h.1"].weights, atol=1e-6)
    assert seen["h.1"].rows(1) == [str(token) for token in ids[1].tolist()]


def test_a_cache_of_fixed_size_gives_the_map_of_one_that_grows():
    model, ids = model_of("llama 3", "sdpa"), inputs_of("llama 3")["input_ids"]
    kept = []
    for size in ("dynamic", "static"):
        with watch(model) as seen:
            model.generate(ids, cache_implementation=size, disable_compile=True, **GREEDY)
        kept.append(seen["model.layers.1.self_attn"])
    assert [call.first for call in kept[1].calls] == [0, 9, 10, 11, 12, 13]
    assert torch.allclose(kept[0].weights, kept[1].weights, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS[:3])
def test_rows_and_columns_are_named_by_the_tokens_that_came_in(kind):
    model, inputs = drawn(kind)
    with watch(model, lambda token: f"token {token}") as seen:
        model(*inputs)
    *_, last = seen.values()
    assert last.rows(1) == [f"token {token}" for token in inputs[-1][1].tolist()]
    assert last.columns(1) == [f"token {token}" for token in inputs[0][1].tolist()]


def test_a_tokenizer_writes_tokens_as_they_read():
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train_from_iterator(["le café"] * 9, vocab_size=300, special_tokens=["<s>"])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=trained._tokenizer, bos_token="<s>")
    ids = [tokenizer.bos_token_id, *tokenizer.encode("le café \n")]
    model = nn.Sequential(nn.Embedding(300, 8), nn.TransformerEncoderLayer(8, 2, batch_first=True))
    with watch(model.eval(), tokenizer) as seen:
        model(torch.tensor([ids]))
    assert seen["1.self_attn"].rows() == ["<s>", "le", "café", "Ġ", "Ċ"]


def test_two_texts_of_the_same_length_are_kept_apart():
    model, (src, tgt) = drawn(written_by_hand.TorchTransformer)
    with watch(model) as seen:
        model(src[:, :5], tgt)
    source, target = ([str(token) for token in ids[0, :5].tolist()] for ids in (src, tgt))
    assert seen["body.encoder.layers.0.self_attn"].rows() == source
    assert seen["body.decoder.layers.0.self_attn"].columns() == target
    assert seen["body.decoder.layers.0.multihead_attn"].columns() == source


SILENCED = {"llama 3": "model.layers.1.self_attn", "bart": "model.decoder.layers.1.encoder_attn"}


@pytest.mark.parametrize(("name", "module"), SILENCED.items())
def test_a_silenced_head_is_missing_before_the_output_projection(name, module):
    model, inputs = model_of(name, "sdpa"), inputs_of(name)
    attention = model.get_submodule(module)
    projection = attention.o_proj if name == "llama 3" else attention.out_proj

    def without_head_2(_projection, args):
        [mixed] = args
        mixed = mixed.clone()
        mixed[..., 16:24] = 0.0
        return mixed

    with torch.no_grad():
        with watch(model, changes=[Silence(module, 2)]) as seen:
            silenced = model(**inputs)[0]
        hook = projection.register_forward_pre_hook(without_head_2)
        assert torch.allclose(silenced, model(**inputs)[0], atol=1e-5)
        hook.remove()
        assert not torch.allclose(silenced, model(**inputs)[0], atol=1e-3)
    assert seen[module].mixed_BHQE[:, 2].abs().max() == 0.0 < seen[module].weights[:, 2].max()


@pytest.mark.parametrize("kind", KINDS[:5])
def test_an_overridden_row_mixes_the_values_of_its_keys(kind):
    model, inputs = drawn(kind)
    with watch(model) as before:
        model(*inputs)
    *_, name = before
    row = torch.tensor([0.0, 1.0])
    with watch(model, changes=[Override(name, head=1, query=2, weights_K=row)]) as seen:
        model(*inputs)
    assert seen[name].weights[1, 1, 2].tolist()[:3] == [0.0, 1.0, 0.0]
    uniform = torch.eye(seen[name].weights.shape[3])[1]
    with watch(model, changes=[Override(name, 1, query, uniform) for query in range(5)]) as all_of:
        model(*inputs)
    mixed_BQE = all_of[name].mixed_BHQE[:, 1]
    assert torch.allclose(mixed_BQE[:, 2], seen[name].mixed_BHQE[:, 1, 2], atol=1e-6)
    assert torch.allclose(mixed_BQE, mixed_BQE[:, :1].expand_as(mixed_BQE), atol=1e-6)


def test_all_heads_patched_from_another_pass_make_its_output_while_generating():
    model, inputs = model_of("llama 3", "sdpa"), inputs_of("llama 3")
    ids = inputs["input_ids"][:1]
    other = ids.flip(1)
    with watch(model) as seen:
        model.generate(other, **GREEDY)
    last = "model.layers.1.self_attn"
    changes = [Patch(last, head, seen[last]) for head in range(4)]
    with watch(model, changes=changes) as patched:
        model.generate(ids, **GREEDY)
    assert torch.allclose(patched[last].mixed_BHQE, seen[last].mixed_BHQE)


def test_tokens_are_named_where_positions_stand_before_the_batch():
    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.layer = nn.Embedding(V, 8), nn.TransformerEncoderLayer(8, 2)

        def forward(self, src):
            return self.layer(self.embed(src))

    ids_TB, model = torch.arange(8).view(4, 2), Encoder().eval()
    with watch(model) as seen:
        model(ids_TB)
    assert seen["layer.self_attn"].rows(1) == ["1", "3", "5", "7"]


def test_a_product_that_is_no_attention_is_left_alone():
    class Mean(nn.Module):
        def forward(self, scores, values):
            weights = scores.softmax(-1)
            return torch.einsum("bhqk,bhke->bqe", weights, values), weights.transpose(2, 3) @ values

    model, scores, values = Mean(), torch.randn(2, 3, 4, 4), torch.randn(2, 3, 4, 5)
    with watch(model) as seen:
        outputs = model(scores, values)
    assert all(torch.equal(*each) for each in zip(outputs, model(scores, values), strict=True))
    assert len(seen) == 0


@pytest.mark.parametrize(
    "weigh",
    [
        lambda scores: 0.5 * scores.softmax(-1).masked_fill(scores > 1.0, 0.0),
        lambda scores: scores.softmax(-2) / 0.9,
    ],
)
def test_weights_that_do_not_sum_to_1_are_seen_as_they_mix_the_values(weigh):
    class Attention(nn.Module):
        def forward(self, scores, values):
            return weigh(scores) @ values

    scores, values = torch.randn(2, 3, 4, 4), torch.randn(2, 3, 4, 5)
    with watch(Attention()) as seen:
        mixed = seen.model(scores, values)
    assert torch.equal(seen[""].weights, weigh(scores))
    assert torch.equal(seen[""].mixed_BHQE, mixed)


@pytest.mark.parametrize("kind", [KINDS[0], *KINDS[2:]])
def test_nothing_is_read_from_the_device_before_it_is_shown(kind):
    # The device "meta" has no numbers to read.
    with torch.device("meta"):
        model, inputs = drawn(kind)
        with watch(model) as seen:
            model(*inputs)
    assert len(seen) > 0
    assert all(call.mixed_BHQE.is_meta for each in seen.values() for call in each.calls)


def test_half_precision_is_seen_in_single_precision():
    ids = inputs_of("llama 3")["input_ids"]
    half = watch(model_of("llama 3", "sdpa").to(torch.bfloat16))
    cast = watch(model_of("llama 3", "sdpa"))
    with half as seen, torch.inference_mode():
        half.model.generate(ids, **GREEDY)
    with cast as seen_cast, torch.autocast("cpu", torch.bfloat16):
        cast.model.generate(ids, **GREEDY)
    for each in (*seen.values(), *seen_cast.values()):
        assert each.weights.dtype == torch.float32
        assert torch.allclose(each.weights.sum(-1), torch.ones(()), atol=1e-5)


def test_a_long_text_keeps_no_weights_until_they_are_asked_for():
    attention = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x = torch.randn(1, 300, 8)
    with watch(attention) as seen:
        attention(x, x, x, need_weights=False)
    [call] = seen[""].calls
    assert callable(call.weights)
    assert torch.allclose(call.weights_BHQK.mean(1), attention(x, x, x)[1], atol=1e-6)


@pytest.mark.slow
def test_a_compiled_model_is_seen_under_the_names_of_its_modules():
    model, (ids,) = drawn(written_by_hand.FusedGPT)
    with watch(torch.compile(model)) as seen:
        torch.compile(model)(ids)
    assert list(seen) == ["h.0", "h.1"]


def test_nothing_stays_on_a_model_that_fails():
    model, (src, tgt) = drawn(written_by_hand.Annotated)
    with pytest.raises(IndexError), watch(model) as seen:
        model(src, tgt + V)
    assert not any(module._forward_hooks for module in model.modules())
    model(src, tgt)
    assert len(seen) == 0


def test_what_cannot_be_seen_or_changed_is_refused_with_a_sentence():
    model, inputs = drawn(written_by_hand.FusedGPT)
    with pytest.raises(ValueError, match="no module 'h.7'. Do you mean 'h.1' or 'h.0'"):
        watch(model, changes=[Silence("h.7", 0)])
    with pytest.raises(ValueError, match="'wte' computed no attention"):  # noqa: SIM117
        with watch(model, changes=[Silence("wte", 0)]):
            model(*inputs)
    with watch(model) as seen:
        model(*inputs)
    for head in (-1, 99):
        refused = pytest.raises(IndexError, match=f"has the heads 0 to [0-9], not {head}")
        with refused, watch(model, changes=[Silence(next(iter(seen)), head)]):
            model(*inputs)
    with pytest.raises(KeyError, match="no attention was seen at 'h'. Do you mean"):
        seen["h"]
    with pytest.raises(ValueError, match="TorchScript"):
        watch(torch.jit.trace(nn.Linear(2, 2), torch.ones(2)))
    opened = model_of("llama 2", "sdpa")
    opened.config._attn_implementation = "flash_attention_2"
    with pytest.raises(ValueError, match='set_attn_implementation\\("sdpa"\\) first'):
        watch(opened)
