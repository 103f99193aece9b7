"""Models of any architecture do here what they do in `transformers`."""

import pytest
import torch

from core.decoding.generate import generate
from core.heads import Head, Kind
from core.model import Patch, Record, Silence, Step
from tests.core.library.random_models import BOTH, DECODER, ENCODER, MODELS, drawn, opened

SOURCE = torch.randint(3, 50, (2, 9), generator=torch.Generator().manual_seed(1))
TARGET = torch.randint(3, 50, (2, 6), generator=torch.Generator().manual_seed(2))
CLOSE = {"atol": 2e-5, "rtol": 1e-5}
OUTPUTS = {
    **dict.fromkeys(("Mistral", "Gemma2", "GptOss"), "model.layers.1.self_attn.o_proj"),
    "Phi": "model.layers.1.self_attn.dense",
    "GPTNeoX": "gpt_neox.layers.1.attention.dense",
    "OPT": "model.decoder.layers.1.self_attn.out_proj",
    "Bloom": "transformer.h.1.self_attention.dense",
    "Bart": "model.decoder.layers.1.encoder_attn.out_proj",
    "MT5": "decoder.block.1.layer.1.EncDecAttention.o",
    "Roberta": "roberta.encoder.layer.1.attention.output.dense",
    "ModernBert": "model.layers.1.attn.Wo",
    "Albert": "albert.encoder.albert_layer_groups.0.albert_layers.0.attention.dense",
    "DebertaV2": "deberta.encoder.layer.1.attention.output.dense",
    "marian": "model.decoder.layers.1.encoder_attn.out_proj",
    "t5": "decoder.block.1.layer.1.EncDecAttention.o",
    "t5 with its own head": "decoder.block.1.layer.1.EncDecAttention.o",
    "bert": "bert.encoder.layer.1.attention.output.dense",
    "gpt2": "transformer.h.1.attn.c_proj",
    "llama3": "model.layers.1.self_attn.o_proj",
}
"""Label → where the last kind of attention of layer 1 goes through W^O."""
STACKS = {label: stacks for label, (_, stacks, _) in MODELS.items() if label in OUTPUTS}


LIKE_OTHERS = ("Mistral", "GPTNeoX", "Bloom", "MT5", "t5 with its own head", "Roberta", "OPT")
"""Put together as another of the list, but for names."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(label, marks=pytest.mark.slow if label in LIKE_OTHERS else ())
        for label in STACKS
    ],
)
def both(request):
    """A label, the model of `transformers`, and ours."""
    theirs = drawn(request.param)
    with torch.no_grad():
        yield request.param, theirs, opened(theirs)


def fed(label):
    """Return what a model is fed here, and there."""
    stacks = STACKS[label]
    source, target = (
        (None if stacks == DECODER else SOURCE),
        (None if stacks == ENCODER else TARGET),
    )
    there = [each for each in (source, target) if each is not None]
    names = ("input_ids", "decoder_input_ids")
    return (source, target), dict(zip(names, there, strict=False))


def test_logits_and_weights_are_those_of_transformers(both):
    label, theirs, ours = both
    here, there = fed(label)
    record = Record(frozenset(Step))
    found = theirs(**there, output_attentions=True)
    torch.testing.assert_close(ours(*here), found.logits, **CLOSE)
    torch.testing.assert_close(ours(*here, record), found.logits, **CLOSE)
    both_stacks = STACKS[label] == BOTH
    maps = {
        Kind.ENCODER_SELF: found.encoder_attentions if both_stacks else found.get("attentions"),
        Kind.DECODER_SELF: found.decoder_attentions if both_stacks else found.get("attentions"),
        Kind.CROSS: found.get("cross_attentions"),
    }
    kinds = {site.attention for site in ours.sites()}
    assert len(ours.sites()) == sum(len(maps[kind]) for kind in kinds)
    for site in ours.sites():
        torch.testing.assert_close(record.weights(site), maps[site.attention][site.layer], **CLOSE)


def test_steps_come_in_the_order_of_our_own_attention(both):
    label, _, ours = both
    site = ours.sites()[-1]
    record = Record(frozenset(Step), frozenset({site}))
    ours(*fed(label)[0], record)
    values = [Step.STREAM_IN, Step.QUERY, Step.KEY, Step.PRODUCTS, Step.VISIBLE, Step.SCORES]
    values += [Step.MASKED_SCORES, Step.VALUE, Step.WEIGHTS, Step.MIXED, Step.ADDED]
    assert [step for _, step in record.tensors] == [*values, Step.STREAM_OUT]
    shapes = {step: tensor.shape for (_, step), tensor in record.tensors.items()}
    n_heads, n_queries, n_keys = shapes[Step.WEIGHTS][1:]
    assert shapes[Step.VISIBLE] == (2, n_queries, n_keys)
    assert shapes[Step.QUERY][1:3] == (n_heads, n_queries)
    assert shapes[Step.KEY][1:3] == shapes[Step.VALUE][1:3] == (n_heads, n_keys)
    mixed = record.tensors[site, Step.WEIGHTS] @ record.tensors[site, Step.VALUE]
    torch.testing.assert_close(mixed, record.tensors[site, Step.MIXED], **CLOSE)
    output_HED = ours.block(site)[0].output_HED
    added = torch.einsum("bhqe,hed->bqd", mixed, output_HED)
    assert added.shape == record.tensors[site, Step.ADDED].shape


def test_what_sublayers_add_makes_the_stream(both):
    label, _, ours = both
    record = Record(frozenset(Step))
    ours(*fed(label)[0], record)
    for stack in ours.config.stacks:
        embedding, *sites = ours.stream_sites(stack)
        before = record.tensors[embedding, Step.STREAM_OUT]
        for site in sites:
            assert torch.equal(record.tensors[site, Step.STREAM_IN], before)
            after = record.tensors[site, Step.STREAM_OUT]
            if ours.config.norm == "pre":
                added = record.tensors[site, Step.ADDED]
                torch.testing.assert_close(before + added, after, **CLOSE)
            before = after
    # Of one layer: there are models all of whose layers are the same.
    total = sum(ours.n_parameters(site) for site in sites if site.layer == 0)
    assert total < sum(each.numel() for each in ours.parameters())


def test_the_lens_of_the_last_layer_is_the_models_own_output(both):
    label, _, ours = both
    if not ours.config.n_decoder_layers:
        return
    record = Record(frozenset({Step.STREAM_OUT}))
    logits = ours(*fed(label)[0], record)
    last = record.tensors[ours.stream_sites("decoder")[-1], Step.STREAM_OUT]
    torch.testing.assert_close(ours.logits(last), logits, **CLOSE)
    given, weight = ours.output_input(last), ours.output.weight
    assert given.shape == (*TARGET.shape, weight.shape[1])


def test_silencing_a_head_is_zeroing_its_slice_before_the_output_projection(both):
    label, theirs, ours = both
    here, there = fed(label)
    kind, width = list(dict.fromkeys(site.attention for site in ours.sites()))[-1], ours.config.d_v
    heads = [Head(kind.site(1), 2)]
    if label == "Albert":
        # Its layers are one.
        heads.append(Head(kind.site(0), 2))

    def zero(_module, given):
        mixed = given[0].clone()
        mixed[..., 2 * width : 3 * width] = 0
        return (mixed, *given[1:])

    hook = theirs.get_submodule(OUTPUTS[label]).register_forward_pre_hook(zero)
    silenced = theirs(**there).logits
    hook.remove()
    torch.testing.assert_close(ours(*here, Silence.of(heads)), silenced, **CLOSE)
    assert not torch.allclose(silenced, theirs(**there).logits, **CLOSE)


@pytest.mark.slow
def test_greedy_decoding_is_that_of_transformers(both):
    label, theirs, ours = both
    if not ours.config.n_decoder_layers:
        return
    source, prompt = (SOURCE, None) if STACKS[label] == BOTH else (None, TARGET)
    given = TARGET if source is None else SOURCE
    for probe in (None, Record(frozenset({Step.WEIGHTS}))):
        found = generate(ours, source, prompt_BT=prompt, probe=probe)
        for row, ids in enumerate(found):
            made = theirs.generate(
                given[row : row + 1],
                max_new_tokens=len(ids),
                do_sample=False,
                num_beams=1,
                # Theirs counts the encoder's layers where a decoder has more.
                use_cache=False,
                forced_bos_token_id=None,
                forced_eos_token_id=None,
                bad_words_ids=[[each] for each in ours.config.never_said] or None,
            )[0].tolist()
            assert made[-len(ids) :] == list(ids)


def test_a_row_of_a_padded_batch_is_as_the_sentence_alone(both):
    _, _, ours = both
    if not ours.config.n_encoder_layers:
        return
    padded = torch.nn.functional.pad(SOURCE[:1, :5], (0, 4), value=ours.config.pad_id)
    together = ours.encode(torch.cat([padded, SOURCE[1:]]))
    torch.testing.assert_close(together[:1, :5], ours.encode(SOURCE[:1, :5]), **CLOSE)


def test_a_head_is_patched_from_another_pass(both):
    label, _, ours = both
    source, target = fed(label)[0]
    site = ours.sites()[-1]
    record = Record(frozenset({Step.MIXED}))
    ours(source, target, record)
    patch = Patch({head: record.tensors[site, Step.MIXED][:, head.index] for head in site.heads(4)})
    same = ours(source, target, patch)
    torch.testing.assert_close(same, ours(source, target), **CLOSE)
    other = ours(*[None if each is None else each.flip(1) for each in (source, target)], patch)
    assert not torch.allclose(
        other, ours(*[None if e is None else e.flip(1) for e in (source, target)])
    )
