import json

import numpy as np
import pytest
import torch

from core.heads import Head, Kind
from core.runs.run import load_run
from core.studies.lessons.masks import (
    LOOK_AHEAD,
    PADDING,
    Mask,
    head_of_batch,
    losses_in_texts,
    losses_without,
    padded_batch,
)
from pages.frame.language import percent
from pages.views.masks.without import LOSS_SAMPLES
from tests.pages.conftest import ROOT, chart_rows, said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.masks.conftest import FACT, OTHERS, TEXTS, TIRED, panels


def test_without_look_ahead_weight_goes_to_the_future(open_masks, run):
    at = open_masks(masks="without", attention="decoder self", row="0")
    before, after = panels(at)
    assert (np.triu(before.values, 1) == 0).all()
    assert (np.triu(after.values, 1) > 0).any()
    batch = padded_batch(run, (TIRED, *OTHERS.splitlines()))
    off = [Mask(Kind.DECODER_SELF, LOOK_AHEAD)]
    changed = head_of_batch(run.model, batch, Head.parse("decoder.0.self:0"), 0, off)
    np.testing.assert_array_equal(after.values, changed.weights_QK)
    assert "Without the look-ahead mask **" in said(at)


def test_another_kind_of_attention_begins_with_its_own_mask_switched_off(open_masks):
    at = open_masks(masks="without", attention="encoder self", row="0")
    for kind, mask in (("decoder.self", "look-ahead"), ("decoder.cross", "padding")):
        at.segmented_control(key="attention").set_value(kind).run()
        assert at.button_group(key="off").value == [mask]
        assert f"Without the {mask} mask" in said(at)


def test_a_mask_that_is_switched_on_again_leaves_one_map_without_a_leak(open_masks):
    at = open_masks(masks="without", attention="encoder self", row="1")
    _before, after = panels(at)
    assert after.values[0, -1] > 0
    at.button_group(key="off").set_value([]).run()
    # With nothing switched off a second map would be the same.
    [alone] = panels(at)
    assert alone.values[0, -1] == 0
    assert "**no** weight goes where it should not" in said(at)


def test_padding_can_be_switched_off_by_link(open_masks, run):
    at = open_masks(masks="without", attention="cross", off="padding mask", row="1")
    _before, after = panels(at)
    batch = padded_batch(run, (TIRED, *OTHERS.splitlines()))
    off = [Mask(Kind.CROSS, PADDING)]
    changed = head_of_batch(run.model, batch, Head.parse("decoder.0.cross:0"), 1, off)
    np.testing.assert_array_equal(after.values, changed.weights_QK)
    assert float(torch.tensor(after.values).sum(-1).min()) == pytest.approx(1, abs=1e-5)


def test_the_loss_without_each_mask_is_measured_on_request(open_page):
    at = open_page("masks", model="copy", masks="without")
    at.toggle(key="measure_losses").set_value(True).run()
    assert not at.exception
    rows = chart_rows(at)
    measured = losses_without(load_run(ROOT / "gallery" / "copy"), LOSS_SAMPLES)
    assert [row["value"] for row in rows] == pytest.approx([each.loss for each in measured])
    assert rows[0]["name"] == "all masks on"
    assert rows[3]["name"] == "decoder self: no look-ahead"
    assert rows[-1]["name"] == "no mask on"


def test_a_run_whose_pairs_are_gone_says_why_nothing_is_measured(open_page, own_copy):
    settings = json.loads((own_copy / "run.json").read_text())
    (own_copy / "run.json").write_text(json.dumps(settings | {"task": "pairs.tsv"}))
    at = open_page("masks", model="runs/mine", masks="without", sentence="a b")
    at.toggle(key="measure_losses").set_value(True).run()
    assert not at.exception
    assert "pairs" in said(at)


@pytest.mark.parametrize("off", ["padding", "look-ahead", ""])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_masks, handed_over, off
):
    at = open_masks(masks="without", attention="decoder self", row="1", off=off)
    [shown] = handed_over
    assert_takeable(at, shown)
    # Both maps are in the file, also where they are the same and one is shown.
    both = panels(at) * (1 if off else 2)
    weights = [each for panel in both for each in panel.values.reshape(-1).tolist()]
    assert numbers_of(shown, "weight") == weights
    assert computed(shown) == numbers_of(shown, "weight", "leak_to_padding", "leak_to_future")


def test_measured_losses_are_taken_away_too(open_page, handed_over):
    at = open_page("masks", model="copy", masks="without", measure_losses="true")
    shown = handed_over[-1]
    assert_takeable(at, shown)
    assert len(shown.pictures) == 2
    assert numbers_of(shown, "loss") == [row["value"] for row in chart_rows(at)]
    names = ("weight", "leak_to_padding", "leak_to_future", "loss", "token_accuracy")
    assert computed(shown) == numbers_of(shown, *names)


@pytest.mark.parametrize("kind", ["gpt2", "llama3"])
def test_without_look_ahead_a_decoder_alone_sees_the_future(open_alone, handed_over, kind):
    at, run = open_alone(kind, "without", row="2", measure_losses="true")
    before, after = panels(at)
    assert (np.triu(before.values, 1) == 0).all()
    assert (np.triu(after.values, 1) > 0).any()
    # There is no padding mask to switch off.
    assert at.button_group(key="off").options == ["look-ahead mask"]
    batch = padded_batch(run, (FACT, *TEXTS.splitlines()))
    rows = [len(ids) for ids in batch.fed_ids]
    off = [Mask(Kind.DECODER_SELF, LOOK_AHEAD)]
    head = Head.parse("decoder.0.self:0")
    of_words = [
        head_of_batch(run.model, batch, head, b, off).weights_QK[:n].astype(float)
        for b, n in enumerate(rows)
    ]
    future = sum(np.triu(w[:, :n], 1).sum() for w, n in zip(of_words, rows, strict=True))
    shown = handed_over[-1]
    assert f"**{percent(future / sum(rows))}** of this head's weight" in shown.seen
    one, other = (each.loss for each in losses_in_texts(run, (FACT, *TEXTS.splitlines())))
    assert f"The loss goes from {one:.3f} to **{other:.3f}** nats per token." in shown.seen
    assert [row["value"] for row in chart_rows(at)] == pytest.approx([one, other])
    assert "the 3 texts of the batch" in at.toggle(key="measure_losses").label
    names = ("weight", "leak_to_padding", "leak_to_future", "loss", "token_accuracy")
    assert computed(shown, run.path.parent.parent) == numbers_of(shown, *names)


def test_without_its_padding_mask_weight_of_an_encoder_alone_leaks_to_pad(open_alone, handed_over):
    at, _run = open_alone("bert", "without", row="1")
    assert at.button_group(key="off").value == ["padding"]
    before, after = panels(at)
    hidden = before.values == 0
    share = float(after.values[hidden].sum())
    assert share > 0
    assert "Without the padding mask **" in handed_over[-1].seen
    assert "Nothing is predicted of a text that is only read" in said(at)
    assert not [each for each in at.toggle if each.key == "measure_losses"]


def test_an_encoder_alone_opens_beside_a_text_that_is_filled_up(
    open_page, opened_path, elsewhere, handed_over
):
    path = opened_path("bert without a head")
    elsewhere("OWN", path.parent)
    open_page("masks", model=f"runs/{path.name}", masks="without")
    [leak] = handed_over[-1].columns()["leak_to_padding"][-1:]
    assert leak > 0
    assert f"**{percent(leak)}** of this head's weight" in handed_over[-1].seen
