from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding.sentence import SentenceError, translate
from core.evaluate.evaluation import held_out_pairs
from core.heads import Head, Kind, Site
from core.model import Record
from core.runs.run import load_run
from core.studies.lessons.batch_head import head_of_batch
from core.studies.lessons.masking import (
    LOOK_AHEAD,
    MASKS,
    PADDING,
    Leak,
    Mask,
    PaddedBatch,
    alone,
    attended,
    companions,
    leak,
    padded_batch,
    read_sources,
    visible,
)
from core.tasks import task_named
from core.vocabulary import BOS, EOS, PAD
from tests.pages.conftest import ROOT

SENTENCES = ("ab cd ef gh", "a", "bc d")
SITES = {
    Kind.ENCODER_SELF: Site("encoder", 1, "self"),
    Kind.DECODER_SELF: Site("decoder", 0, "self"),
    Kind.CROSS: Site("decoder", 0, "cross"),
}


@pytest.fixture
def batch(copy_run):
    """Sources of different lengths, each fed to the decoder as its own target."""
    sources, cut = read_sources(copy_run, SENTENCES)
    return PaddedBatch(sources, tuple((BOS, *row[:-1]) for row in sources), cut)


def test_a_batch_is_filled_up_to_its_longest_sentence(copy_run):
    batch = padded_batch(copy_run, SENTENCES)
    lengths = (batch.source_BS != PAD).sum(dim=1).tolist()
    assert lengths == [len(translate(copy_run, each).source_ids) for each in SENTENCES]
    assert batch.source_BS.shape[1] == max(lengths)
    assert (batch.fed_BT[:, 0] == BOS).all()
    assert not (batch.fed_BT == EOS).any()
    assert not batch.cut
    assert batch.n_padding == sum(max(lengths) - length for length in lengths)


def test_a_sentence_longer_than_the_model_is_cut_and_said_so(copy_run):
    longest = copy_run.settings.model.max_positions
    batch = padded_batch(copy_run, ["a", "a b " * longest])
    assert batch.cut
    assert batch.source_BS.shape == (2, longest)
    assert batch.fed_BT.shape[1] <= longest


def test_a_sentence_without_text_is_refused(copy_run):
    with pytest.raises(SentenceError, match="no text"):
        padded_batch(copy_run, ["a", "  "])


@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), st.sets(st.sampled_from(MASKS)))
@settings(deadline=None)
def test_what_is_visible_follows_the_definition_of_each_mask(lengths, without):
    ids = torch.tensor([[5] * n + [PAD] * (max(lengths) - n) for n in lengths])
    shown = visible(ids, ids, without)
    for attention in SITES:
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


def test_with_all_masks_it_is_what_the_model_itself_does(copy_run, batch):
    record = Record()
    with torch.inference_mode():
        copy_run.model(batch.source_BS, batch.fed_BT, record)
    for site in SITES.values():
        done = attended(copy_run.model, batch, site)
        np.testing.assert_allclose(done.weights_BHQK, record.weights(site).numpy(), atol=1e-5)
        wanted = visible(batch.source_BS, batch.fed_BT)[site.attention]
        np.testing.assert_array_equal(done.visible_BQK, wanted.expand(done.visible_BQK.shape))


@pytest.mark.parametrize("attention", SITES)
def test_weights_are_the_softmax_of_the_scores_that_are_visible(copy_run, batch, attention):
    done = attended(copy_run.model, batch, SITES[attention])
    scores = np.where(done.visible_BQK[:, None], done.scores_BHQK.astype(np.float64), -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    wanted = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(done.weights_BHQK, wanted, atol=1e-6)
    assert leak(done.weights_BHQK, batch, Head(SITES[attention], 0)) == leak(
        np.zeros_like(done.weights_BHQK), batch, Head(SITES[attention], 0)
    )


def test_a_leak_is_the_weight_on_padding_and_on_later_words(batch):
    n = batch.fed_BT.shape[1]
    uniform = np.full((3, 2, n, n), 1 / n, np.float32)
    found = leak(uniform, batch, Head(SITES[Kind.DECODER_SELF], 1))
    lengths = (batch.fed_BT != PAD).sum(dim=1).tolist()
    padding = sum((n - length) * length for length in lengths) / n / sum(lengths)
    future = sum(length * (length - 1) / 2 for length in lengths) / n / sum(lengths)
    assert found.padding == pytest.approx(padding)
    assert found.future == pytest.approx(future)


@pytest.mark.parametrize(
    "mask", [mask for mask in MASKS if mask.attention is not Kind.DECODER_SELF]
)
def test_without_its_padding_mask_weight_leaks_to_the_padding(copy_run, batch, mask):
    done = attended(copy_run.model, batch, SITES[mask.attention], [mask])
    found = leak(done.weights_BHQK, batch, Head(SITES[mask.attention], 0))
    assert found.padding > 0
    assert found.future == 0


def test_without_the_look_ahead_mask_weight_leaks_to_the_future(copy_run, batch):
    mask = Mask(Kind.DECODER_SELF, LOOK_AHEAD)
    done = attended(copy_run.model, batch, SITES[Kind.DECODER_SELF], [mask])
    found = leak(done.weights_BHQK, batch, Head(SITES[Kind.DECODER_SELF], 0))
    assert found.future > 0
    assert found.padding == 0


def test_behind_the_look_ahead_mask_no_word_can_see_the_padding_at_the_end(copy_run, batch):
    mask = Mask(Kind.DECODER_SELF, PADDING)
    done = attended(copy_run.model, batch, SITES[Kind.DECODER_SELF], [mask])
    assert leak(done.weights_BHQK, batch, Head(SITES[Kind.DECODER_SELF], 0)).padding == 0


def test_companions_are_the_longest_and_the_shortest_held_out_sentence(copy_run):
    lengths = {
        pair.text: len(pair.source) + len(pair.target)
        for pair in held_out_pairs(copy_run, 40, seed=0)
    }
    longest, shortest = (lengths[text] for text in companions(copy_run))
    assert (shortest, longest) == (min(lengths.values()), max(lengths.values()))


@pytest.mark.parametrize("name", ["everyday", "translate"])
def test_beside_its_companions_the_first_example_is_filled_up_on_both_sides(name):
    run = load_run(ROOT / "gallery" / name)
    first = task_named(run.settings.task, run.path).examples[0].source
    batch = padded_batch(run, (first, *companions(run)))
    assert (batch.source_BS[0] == PAD).any()
    assert (batch.fed_BT[0] == PAD).any()


def test_a_run_whose_task_is_gone_has_no_companions(copy_run):
    gone = replace(copy_run, settings=replace(copy_run.settings, task="pairs.tsv"))
    assert companions(gone) == ()


@pytest.fixture(scope="module", params=["marian", "t5"])
def opened(request, opened_path):
    """A model that learned elsewhere, whose special tokens are others."""
    return load_run(opened_path(request.param))


TEXTS = ("The animal did not cross the street.", "it was", "The capital of France is Paris.")


def test_a_batch_of_another_model_is_filled_up_and_begun_with_its_own_tokens(opened):
    config, batch = opened.model.config, padded_batch(opened, TEXTS)
    assert (batch.source_BS == config.pad_id).sum() >= batch.n_padding > 0
    for text, row, ids in zip(TEXTS, batch.source_BS.tolist(), batch.source_ids, strict=True):
        assert ids == translate(opened, text).source_ids
        assert row == [*ids, *[config.pad_id] * (len(row) - len(ids))]
    assert [ids[:1] for ids in batch.fed_ids] == [config.begins] * len(TEXTS)
    assert not any(set(ids[1:]) & set(config.eos_ids) for ids in batch.fed_ids)
    assert [ids for ids in batch.fed_ids] == [
        translate(opened, text).fed_ids[: config.max_positions] for text in TEXTS
    ]


@pytest.mark.parametrize("kind", Kind)
def test_the_masks_of_another_model_are_those_that_it_makes_itself(opened, kind):
    batch = padded_batch(opened, TEXTS)
    record = Record()
    with torch.inference_mode():
        opened.model(batch.source_BS, batch.fed_BT, record)
    [site, *_rest] = [each for each in opened.model.sites() if each.attention is kind]
    found = attended(opened.model, batch, site)
    expected_BQK = visible(batch.source_BS, batch.fed_BT, (), batch.pad_id)[kind]
    np.testing.assert_array_equal(
        found.visible_BQK, np.broadcast_to(expected_BQK, found.visible_BQK.shape)
    )
    np.testing.assert_allclose(found.weights_BHQK, record.weights(site).numpy(), atol=1e-5)
    # Nothing leaks while all masks are on.
    assert leak(found.weights_BHQK, batch, Head(site, 0)) == Leak(0, 0)


def test_a_parallel_decoder_gets_no_look_ahead_mask_and_nothing_of_it_leaks(parallel_run):
    batch = padded_batch(parallel_run, ("a b c d e f", "x y"))
    assert set(alone(batch, Kind.DECODER_SELF, 0)) == {PADDING}
    site = SITES[Kind.DECODER_SELF]
    done = attended(parallel_run.model, batch, site)
    keys_BK = batch.is_text("target")
    np.testing.assert_array_equal(
        done.visible_BQK, np.broadcast_to(keys_BK[:, None, :], done.visible_BQK.shape)
    )
    found = leak(done.weights_BHQK, batch, Head(site, 0))
    assert (found.padding, found.future) == (0.0, 0.0)
    # Without the padding mask later words stay visible, too.
    without = (Mask(Kind.DECODER_SELF, PADDING),)
    assert attended(parallel_run.model, batch, site, without).visible_BQK.all()


@pytest.fixture(scope="module", params=["gpt2", "llama3", "bert"])
def alone_run(request, opened_path):
    """A model of one stack that learned elsewhere: two decoders without PAD, and an encoder."""
    return load_run(opened_path(request.param))


def test_a_batch_of_one_stack_holds_the_sentences_themselves(alone_run):
    config, batch = alone_run.model.config, padded_batch(alone_run, TEXTS)
    side = "source" if config.stacks == ("encoder",) else "target"
    rows = batch.source_ids if side == "source" else batch.fed_ids
    assert not any(batch.fed_ids if side == "source" else batch.source_ids)
    read = alone_run.tokenizer
    assert rows == tuple((*read.begins, *read.encode(t).ids, *read.ends) for t in TEXTS)
    lengths = [len(row) for row in rows]
    assert batch.first_side == side
    assert batch.n_padding == sum(max(lengths) - n for n in lengths) > 0
    assert [each is None for each in batch.inputs] == [side == "target", side == "source"]
    filled = {int(i) for n, row in zip(lengths, batch.ids(side), strict=True) for i in row[n:]}
    assert filled == {config.pad_id if config.pad_id >= 0 else config.eos_ids[0]}


def test_the_masks_of_one_stack_are_those_that_it_makes_itself(alone_run):
    batch, record = padded_batch(alone_run, TEXTS), Record()
    with torch.inference_mode():
        alone_run.model(*batch.inputs, record)
    for site in alone_run.model.sites():
        found = attended(alone_run.model, batch, site)
        np.testing.assert_allclose(found.weights_BHQK, record.weights(site).numpy(), atol=1e-5)
        assert leak(found.weights_BHQK, batch, Head(site, 0)) == Leak(0, 0)


@pytest.mark.parametrize("alone_run", ["gpt2", "llama3"], indirect=True)
def test_a_decoder_without_pad_hides_what_fills_up_by_the_look_ahead_mask_alone(alone_run):
    batch = padded_batch(alone_run, TEXTS)
    assert {mask.name for mask in batch.missing} == {PADDING}
    assert set(alone(batch, Kind.DECODER_SELF, 1)) == {LOOK_AHEAD}
    site = alone_run.model.sites()[0]
    together = attended(alone_run.model, batch, site).weights_BHQK
    for number, row in enumerate(batch.fed_ids):
        one = PaddedBatch(((),), (row,), False, batch.pad_id, fill_id=batch.fill_id)
        by_itself = attended(alone_run.model, one, site).weights_BHQK[0]
        n = len(row)
        np.testing.assert_allclose(together[number][:, :n, :n], by_itself, atol=1e-5)
    off = (Mask(Kind.DECODER_SELF, LOOK_AHEAD),)
    found = head_of_batch(alone_run.model, batch, Head(site, 0), 1, off).leak
    assert found.future > 0 and found.padding > 0


def test_an_encoder_alone_has_a_padding_mask_and_no_other(opened_path):
    run = load_run(opened_path("bert"))
    batch = padded_batch(run, TEXTS)
    assert set(alone(batch, Kind.ENCODER_SELF, 1)) == {PADDING}
    site = run.model.sites()[0]
    off = (Mask(Kind.ENCODER_SELF, PADDING),)
    found = head_of_batch(run.model, batch, Head(site, 0), 1, off)
    assert found.visible_QK.all() and found.leak.padding > 0 and found.leak.future == 0
