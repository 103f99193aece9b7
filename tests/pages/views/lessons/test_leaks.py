import json

import numpy as np
import pytest

from core.heads import Head, Kind
from core.runs.run import load_run
from core.studies.lessons.masks import (
    LOOK_AHEAD,
    PADDING,
    Mask,
    head_of_batch,
    mask_losses,
    padded_batch,
)
from pages.frame.language import percent
from pages.views.lessons.leaks import LOSS_SAMPLES
from tests.pages.conftest import ROOT, chart_rows, said
from tests.pages.views.lessons.conftest import FACT, OTHERS, TEXTS, TIRED, panels


@pytest.fixture
def open_leaks(open_lesson):
    return lambda **query: open_lesson("leaks", others=OTHERS, **query)


@pytest.mark.parametrize(
    ("asked", "head", "off"),
    [
        ({"attention": "decoder self", "row": "0"}, "decoder.0.self:0", LOOK_AHEAD),
        ({"attention": "cross", "row": "1", "off": "padding mask"}, "decoder.0.cross:0", PADDING),
    ],
)
def test_a_mask_that_is_switched_off_is_left_out_in_the_model(open_leaks, run, asked, head, off):
    at, shown = open_leaks(**asked)
    before, after = panels(at)
    batch, head = padded_batch(run, (TIRED, *OTHERS.splitlines())), Head.parse(head)
    row, without = int(asked["row"]), [Mask(head.kind, off)]
    kept = head_of_batch(run.model, batch, head, row)
    changed = head_of_batch(run.model, batch, head, row, without)
    np.testing.assert_array_equal(before.values, kept.weights_QK)
    np.testing.assert_array_equal(after.values, changed.weights_QK)
    leak = changed.leak.future if off == LOOK_AHEAD else changed.leak.padding
    assert f"Without the {off} mask this head gives **{percent(leak)}**" in shown.seen


def test_another_kind_of_attention_begins_with_its_own_mask_switched_off(open_leaks):
    at, _shown = open_leaks(attention="encoder self", row="0")
    for kind, mask in (("decoder.self", "look-ahead"), ("decoder.cross", "padding")):
        at.segmented_control(key="attention").set_value(kind).run()
        assert at.button_group(key="off").value == [mask]
        assert f"Without the {mask} mask" in said(at)


def test_with_nothing_switched_off_there_is_one_map_without_a_leak(open_leaks):
    at, _shown = open_leaks(attention="encoder self", row="1")
    assert panels(at)[1].values[0, -1] > 0
    at.button_group(key="off").set_value([]).run()
    [alone] = panels(at)
    assert alone.values[0, -1] == 0
    assert "**no** weight goes where it should not" in said(at)


def test_the_loss_without_each_mask_is_measured_on_request(open_page):
    at = open_page("lessons", model="copy", lessons="leaks")
    at.toggle(key="measure_losses").set_value(True).run()
    assert not at.exception
    rows = chart_rows(at)
    measured = mask_losses(load_run(ROOT / "gallery" / "copy"), (), LOSS_SAMPLES)
    assert [row["value"] for row in rows] == pytest.approx([each.loss for each in measured])
    assert [rows[at]["name"] for at in (0, 3, -1)] == [
        "all masks on",
        "decoder self: no look-ahead",
        "no mask on",
    ]


def test_a_run_whose_pairs_are_gone_says_why_nothing_is_measured(open_page, own_copy):
    settings = json.loads((own_copy / "run.json").read_text())
    (own_copy / "run.json").write_text(json.dumps(settings | {"task": "pairs.tsv"}))
    at = open_page("lessons", model="runs/mine", lessons="leaks", sentence="a b")
    at.toggle(key="measure_losses").set_value(True).run()
    assert not at.exception
    assert "pairs" in said(at)


def test_a_decoder_alone_is_measured_on_the_texts_themselves(open_alone):
    at, shown, run = open_alone("gpt2", "leaks", row="2", measure_losses="true")
    # There is no padding mask to switch off.
    assert at.button_group(key="off").options == ["look-ahead mask"]
    batch = padded_batch(run, (FACT, *TEXTS.splitlines()))
    off, head = [Mask(Kind.DECODER_SELF, LOOK_AHEAD)], Head.parse("decoder.0.self:0")
    lengths = [len(ids) for ids in batch.fed_ids]
    future = 0.0
    for b, n in enumerate(lengths):
        weights = head_of_batch(run.model, batch, head, b, off).weights_QK[:n, :n].astype(float)
        future += np.triu(weights, 1).sum()
    assert f"**{percent(future / sum(lengths))}** to later words" in shown.seen
    one, other = (each.loss for each in mask_losses(run, (FACT, *TEXTS.splitlines()), 0))
    assert f"The loss goes from {one:.3f} to **{other:.3f}** nats per token." in shown.seen
    assert "the 3 texts of the batch" in at.toggle(key="measure_losses").label


def test_an_encoder_alone_leaks_to_pad_and_has_no_loss(open_alone):
    at, shown, _run = open_alone("bert", "leaks", row="1")
    assert at.button_group(key="off").value == ["padding"]
    before, after = panels(at)
    assert float(after.values[before.values == 0].sum()) > 0
    assert "Without the padding mask this head gives **" in shown.seen
    assert "Nothing is predicted of a text that is only read" in said(at)
    assert not [each for each in at.toggle if each.key == "measure_losses"]
