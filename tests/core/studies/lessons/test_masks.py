import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.evaluate.evaluation import held_out_pairs
from core.evaluate.metrics import measure
from core.heads import Head, Kind
from core.model import Record
from core.runs.run import load_run
from core.studies.lessons.masks import (
    LOOK_AHEAD,
    MASKS,
    PADDING,
    Leak,
    Mask,
    PaddedBatch,
    alone,
    checked,
    head_of_batch,
    leak,
    mask_losses,
    masks_of,
    padded_batch,
    read_texts,
    visible,
)
from core.vocabulary import BOS, PAD

SENTENCES = ("ab cd ef gh", "a", "bc d")
TEXTS = ("The animal did not cross the street.", "it was", "The capital of France is Paris.")
HEADS = {
    Kind.ENCODER_SELF: Head.parse("encoder.1.self:0"),
    Kind.DECODER_SELF: Head.parse("decoder.0.self:0"),
    Kind.CROSS: Head.parse("decoder.0.cross:0"),
}


@pytest.fixture
def batch(copy_run):
    """Sources of different lengths, each fed to the decoder as its own target."""
    sources, cut = read_texts(copy_run, SENTENCES)
    return PaddedBatch(sources, tuple((BOS, *row[:-1]) for row in sources), cut)


@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), st.sets(st.sampled_from(MASKS)))
@settings(deadline=None)
def test_what_is_visible_follows_the_definition_of_each_mask(lengths, without):
    ids = torch.tensor([[5] * n + [PAD] * (max(lengths) - n) for n in lengths])
    shown = visible(ids, ids, without)
    for attention in HEADS:
        n = ids.shape[1]
        for b, query, key in np.ndindex(len(lengths), n, n):
            padded = key >= lengths[b] and Mask(attention, PADDING) not in without
            later = (
                attention is Kind.DECODER_SELF
                and key > query
                and Mask(attention, LOOK_AHEAD) not in without
            )
            found = shown[attention].expand(len(lengths), n, n)[b, query, key]
            assert bool(found) == (not padded and not later)


def assert_as_the_model_does(model, batch):
    """With all masks a head's weights are those of a plain pass, and none of them leak."""
    record = Record()
    with torch.inference_mode():
        model(*batch.inputs, record)
    for site in model.sites():
        weights_BQK = record.weights(site)[:, 1].numpy()
        for sentence, weights_QK in enumerate(weights_BQK):
            found = head_of_batch(model, batch, Head(site, 1), sentence)
            np.testing.assert_allclose(found.weights_QK, weights_QK, atol=1e-5)
            assert found.leak == Leak(0, 0)


def test_a_leak_is_the_weight_on_padding_and_on_later_words(batch):
    n = batch.fed_BT.shape[1]
    uniform = np.full((3, 2, n, n), 1 / n, np.float32)
    found = leak(uniform, batch, Head(HEADS[Kind.DECODER_SELF].site, 1))
    lengths = (batch.fed_BT != PAD).sum(dim=1).tolist()
    padding = sum((n - length) * length for length in lengths) / n / sum(lengths)
    future = sum(length * (length - 1) / 2 for length in lengths) / n / sum(lengths)
    assert found.padding == pytest.approx(padding)
    assert found.future == pytest.approx(future)


@pytest.mark.parametrize(
    ("mask", "leaks_to_padding", "leaks_to_future"),
    [
        (Mask(Kind.ENCODER_SELF, PADDING), True, False),
        (Mask(Kind.CROSS, PADDING), True, False),
        (Mask(Kind.DECODER_SELF, LOOK_AHEAD), False, True),
        # Behind the look-ahead mask no word can see the padding at the end.
        (Mask(Kind.DECODER_SELF, PADDING), False, False),
    ],
)
def test_without_a_mask_weight_leaks_to_what_it_hid(
    copy_run, batch, mask, leaks_to_padding, leaks_to_future
):
    found = head_of_batch(copy_run.model, batch, HEADS[mask.attention], 0, [mask]).leak
    assert (found.padding > 0, found.future > 0) == (leaks_to_padding, leaks_to_future)


@pytest.fixture(scope="module", params=["gpt2", "llama3", "bert"])
def alone_run(request, opened_path):
    """A model of one stack that learned elsewhere: two decoders without PAD, and an encoder."""
    return load_run(opened_path(request.param))


def test_the_masks_of_one_stack_are_those_that_it_makes_itself(alone_run):
    assert_as_the_model_does(alone_run.model, padded_batch(alone_run, TEXTS))


@pytest.mark.parametrize("alone_run", ["gpt2", "llama3"], indirect=True)
def test_a_decoder_without_pad_hides_what_fills_up_by_the_look_ahead_mask_alone(alone_run):
    batch, head = padded_batch(alone_run, TEXTS), Head.parse("decoder.0.self:0")
    assert {mask.name for mask in batch.missing} == {PADDING}
    assert set(alone(batch, Kind.DECODER_SELF, 1)) == {LOOK_AHEAD}
    for number, row in enumerate(batch.fed_ids):
        one = PaddedBatch(((),), (row,), False, batch.pad_id, fill_id=batch.fill_id)
        together_QK, by_itself_QK = (
            head_of_batch(alone_run.model, each, head, at).weights_QK[: len(row), : len(row)]
            for each, at in ((batch, number), (one, 0))
        )
        np.testing.assert_allclose(together_QK, by_itself_QK, atol=1e-5)
    off = (Mask(Kind.DECODER_SELF, LOOK_AHEAD),)
    found = head_of_batch(alone_run.model, batch, head, 1, off).leak
    assert found.future > 0 and found.padding > 0


@pytest.fixture(scope="module")
def measured(copy_run):
    return {each.without: each for each in mask_losses(copy_run, (), 60)}


def test_with_all_masks_it_is_the_models_own_loss(copy_run, measured):
    quality = measure(copy_run.model, held_out_pairs(copy_run, 60, 0), copy_run.tokenizer)
    assert measured[()].loss == pytest.approx(quality.loss, rel=1e-4)


def test_losses_of_texts_are_those_of_plain_passes_over_each(opened_path):
    run = load_run(opened_path("gpt2"))
    found = {each.without: each for each in mask_losses(run, TEXTS, 0)}
    look_ahead = Mask(Kind.DECODER_SELF, LOOK_AHEAD)
    assert masks_of(run.model.config) == (look_ahead,)
    assert list(found) == [(), (look_ahead,)]
    losses = []
    for text in TEXTS:
        ids = torch.tensor([run.tokenizer.encode(text).ids])
        with torch.no_grad():
            shares = run.model(None, ids[:, :-1])[0].double().log_softmax(dim=-1)
        losses += (-shares[range(ids.shape[1] - 1), ids[0, 1:]]).tolist()
    assert found[()].loss == pytest.approx(np.mean(losses), abs=1e-5)


def test_a_check_leaves_the_model_alone_that_others_use(copy_run, batch, monkeypatch):
    hooked = []
    register = torch.nn.Module.register_forward_hook

    def note(module, *args, **kwargs):
        hooked.append(module)
        return register(module, *args, **kwargs)

    monkeypatch.setattr(torch.nn.Module, "register_forward_hook", note)
    assert checked(copy_run.model, batch).ok
    assert hooked and not set(hooked) & set(copy_run.model.modules())
