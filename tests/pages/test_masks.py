import json
import re

import numpy as np
import pytest
import torch

from core.analysis.lessons.mask_losses import losses_without
from core.analysis.lessons.masking import LOOK_AHEAD, PADDING, Mask, attended, padded_batch
from core.heads import Kind, Site
from core.runs.run import load_run
from pages.views.masks.masks import LOSS_SAMPLES
from tests.pages.conftest import ROOT, chart_rows, said
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
OTHERS = "The cat slept.\nThe dog did not see the house."
KINDS = {"encoder self": "encoder", "decoder self": "decoder", "cross": "decoder"}


@pytest.fixture
def open_masks(open_page):
    return lambda **query_params: open_page("masks", others=OTHERS, **query_params)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


def panels(at):
    [component] = at.get("bidi_component")
    return unpack(component.proto.bytes).panels


def texts(axis):
    return [label.text for label in axis.labels]


@pytest.mark.parametrize("kind", KINDS)
def test_masks_are_labelled_with_the_tokens_of_the_padded_sentence(open_masks, run, kind):
    *_, received = panels(open_masks(attention=kind, row="1"))
    batch = padded_batch(run, (TIRED, *OTHERS.splitlines()))
    source, fed = (
        run.tokenizer.describe(ids[1].tolist()) for ids in (batch.source_BS, batch.fed_BT)
    )
    wanted = {"encoder self": (source, source), "decoder self": (fed, fed), "cross": (fed, source)}
    for axis, tokens in zip((received.rows, received.columns), wanted[kind], strict=True):
        assert texts(axis) == [token.text for token in tokens]
    assert texts(received.columns)[-1] == "PAD"


def test_only_decoder_self_attention_combines_both_masks(open_masks):
    padding, look_ahead, received = panels(open_masks(attention="decoder self", row="1"))
    np.testing.assert_array_equal(received.visible, padding.visible & look_ahead.visible)
    n = len(look_ahead.visible)
    np.testing.assert_array_equal(look_ahead.visible, np.tril(np.ones((n, n), bool)))
    padding, received = panels(open_masks(attention="cross", row="1"))
    np.testing.assert_array_equal(received.visible, padding.visible)
    assert (received.visible == received.visible[0]).all()
    assert not received.visible.all()


def test_a_batch_of_one_sentence_hides_nothing_in_the_source(open_page):
    at = open_page("masks", attention="encoder self", others="")
    at.text_area(key="others").set_value("").run()
    *_, received = panels(at)
    assert received.visible.all()
    assert "Batch of 1 × 14 source tokens, 0 of them PAD" in said(at)


def test_the_prefix_table_is_the_mask_and_both_compute_the_same(open_masks):
    at = open_masks(masks="prefixes")
    table, mask = panels(at)
    np.testing.assert_array_equal(table.visible, mask.visible)
    fed = texts(mask.columns)
    for row, words in enumerate(table.texts):
        assert [word for word in words if word] == fed[: row + 1]
    n = len(fed)
    assert f"cost {n * (n + 1) // 2} decoder positions, in one masked pass {n}" in said(at)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_become_weights(open_masks, run, kind):
    at = open_masks(masks="scores", attention=kind, row="1", layer="1", head="2")
    scores, masked, weights = panels(at)
    np.testing.assert_array_equal(scores.values, masked.values)
    assert scores.visible is None
    hidden = -np.inf if masked.visible is None else np.where(masked.visible, 0.0, -np.inf)
    exponentials = np.exp(scores.values.astype(np.float64) + hidden)
    wanted = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(weights.values, wanted, atol=1e-6)
    least, most = re.search(r"sum to ([\d.]+) … ([\d.]+)", said(at)).groups()
    assert (float(least), float(most.rstrip("."))) == pytest.approx((1, 1), abs=2e-6)
    site = Site(KINDS[kind], 1, "cross" if kind == "cross" else "self")
    batch = padded_batch(run, (TIRED, *OTHERS.splitlines()))
    own = attended(run.model, batch, site)
    np.testing.assert_array_equal(weights.values, own.weights_BHQK[1, 2])


def test_without_look_ahead_weight_goes_to_the_future(open_masks, run):
    at = open_masks(masks="without", attention="decoder self", row="0")
    before, after = panels(at)
    assert (np.triu(before.values, 1) == 0).all()
    assert (np.triu(after.values, 1) > 0).any()
    batch = padded_batch(run, (TIRED, *OTHERS.splitlines()))
    changed = attended(
        run.model, batch, Site("decoder", 0, "self"), [Mask(Kind.DECODER_SELF, LOOK_AHEAD)]
    )
    np.testing.assert_array_equal(after.values, changed.weights_BHQK[0, 0])
    assert "the look-ahead mask of decoder self-attention" in said(at)


def test_another_kind_of_attention_begins_with_its_own_mask_switched_off(open_masks):
    at = open_masks(masks="without", attention="encoder self", row="0")
    for kind, mask in (("decoder.self", "look-ahead"), ("decoder.cross", "padding")):
        at.segmented_control(key="attention").set_value(kind).run()
        assert at.button_group(key="off").value == [mask]
        assert f"Without the {mask} mask" in said(at)


def test_the_masks_lesson_opens_on_the_attention_that_has_both(open_page):
    at = open_page("masks")
    assert len(panels(at)) == 3
    at.selectbox(key="model").set_value("copy").run()
    assert at.segmented_control(key="attention").value == "decoder.self"


def test_the_sentence_that_is_shown_is_named(open_masks):
    assert "sentence 1: “The cat slept" in said(open_masks(row="1"))


def test_a_mask_that_is_switched_on_again_leaves_no_leak(open_masks):
    at = open_masks(masks="without", attention="encoder self", row="1")
    _before, after = panels(at)
    assert after.values[0, -1] > 0
    at.button_group(key="off").set_value([]).run()
    before, after = panels(at)
    np.testing.assert_array_equal(before.values, after.values)
    assert "no weight leaks" in said(at)


def test_padding_can_be_switched_off_by_link(open_masks, run):
    at = open_masks(masks="without", attention="cross", off="padding mask", row="1")
    _before, after = panels(at)
    batch = padded_batch(run, (TIRED, *OTHERS.splitlines()))
    changed = attended(run.model, batch, Site("decoder", 0, "cross"), [Mask(Kind.CROSS, PADDING)])
    np.testing.assert_array_equal(after.values, changed.weights_BHQK[1, 0])
    assert float(torch.tensor(after.values).sum(-1).min()) == pytest.approx(1, abs=1e-5)


def test_the_loss_without_each_mask_is_measured_on_request(open_page):
    at = open_page("masks", model="copy", masks="without")
    at.toggle(key="measure_losses").set_value(True).run()
    assert not at.exception
    rows = chart_rows(at)
    measured = losses_without(load_run(ROOT / "gallery" / "copy"), LOSS_SAMPLES)
    assert [row["value"] for row in rows] == pytest.approx([each.loss for each in measured])
    assert rows[0]["name"] == "all masks on"
    assert rows[3]["name"] == "decoder: no look-ahead"
    assert rows[-1]["name"] == "no mask on"


def test_a_run_whose_pairs_are_gone_says_why_nothing_is_measured(open_page, own_copy):
    settings = json.loads((own_copy / "run.json").read_text())
    (own_copy / "run.json").write_text(json.dumps(settings | {"task": "pairs.tsv"}))
    at = open_page("masks", model="runs/mine", masks="without", sentence="a b")
    at.toggle(key="measure_losses").set_value(True).run()
    assert not at.exception
    assert "pairs" in said(at)


def test_another_run_brings_its_own_sentences_and_typed_ones_stay(open_page):
    at = open_page("masks")
    first = at.text_area(key="others").value
    at.selectbox(key="model").set_value("copy").run()
    assert at.text_area(key="others").value not in ("", first)
    at.text_area(key="others").set_value("a b\n\nc").run()
    assert at.text_area(key="others").value == "a b\n\nc"
    assert "Batch of 3 ×" in said(at)


def test_more_sentences_than_can_be_shown_are_named(open_masks):
    at = open_masks()
    at.text_area(key="others").set_value("\n".join("abcdefghi")).run()
    assert not at.exception
    assert "Batch of 8 ×" in said(at)
    assert "(up to 7)" in at.text_area(key="others").label


@pytest.mark.parametrize("view", ["masks", "prefixes", "scores", "without"])
@pytest.mark.parametrize("sentence", ["a", "the cat " * 250], ids=["one word", "500 words"])
def test_short_and_long_sentences_are_shown(open_masks, view, sentence):
    at = open_masks(masks=view, sentence=sentence, model="copy")
    assert not at.exception
    assert panels(at)
