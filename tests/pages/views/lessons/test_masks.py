"""Masks, and what leaks without them."""

import numpy as np
import pytest

from core.heads import Head
from core.studies.lessons.masks import (
    LOOK_AHEAD,
    PADDING,
    Mask,
    head_of_batch,
    mask_losses,
    padded_batch,
)
from core.studies.opening.examples import longest_and_shortest
from pages.frame.language import percent
from pages.views.lessons.leaks import LOSS_SAMPLES
from tests.pages.conftest import chart_rows, said
from tests.pages.views.lessons.conftest import FACT, OTHERS, TIRED, panels, texts


@pytest.fixture
def open_masks(open_lesson):
    return lambda **query: open_lesson("masks", **{"others": OTHERS} | query)


@pytest.mark.parametrize("kind", ["encoder self", "decoder self", "cross"])
def test_masks_are_labelled_with_the_tokens_of_the_padded_sentence(open_masks, run, kind):
    at, shown = open_masks(attention=kind, row="1")
    *_, received = panels(at)
    batch = padded_batch(run, (TIRED, *OTHERS.splitlines()))
    source, fed = (
        run.tokenizer.describe(ids[1].tolist()) for ids in (batch.source_BS, batch.fed_BT)
    )
    wanted = {"encoder self": (source, source), "decoder self": (fed, fed), "cross": (fed, source)}
    for axis, tokens in zip((received.rows, received.columns), wanted[kind], strict=True):
        assert texts(axis) == [token.text for token in tokens]
    assert texts(received.columns)[-1] == "PAD"
    assert shown.about["sentence"] == "The cat slept."


def test_decoder_self_attention_combines_both_masks(open_masks):
    at, shown = open_masks(attention="decoder self", sentence="The cat slept.")
    padding, look_ahead, received = (~panel.visible for panel in panels(at))
    assert np.array_equal(received, padding | look_ahead)
    assert np.array_equal(look_ahead, ~np.tril(np.ones(look_ahead.shape, bool)))
    assert padding.any()
    assert "itself and the words before it, but no PAD" in shown.seen
    assert "PAD" in shown.formula and "look-ahead" in shown.formula
    _at, shown = open_masks(attention="cross", others=" ")
    assert "Every word sees all words, but no PAD" in shown.seen
    assert "look-ahead" not in shown.formula


def test_a_decoder_without_pad_gets_the_look_ahead_mask_alone(open_alone):
    at, shown, run = open_alone("gpt2", "masks", row="1", others=None)
    [look_ahead] = panels(at)
    # Without a task, its longest and its shortest text stand beside the sentence.
    others = [text for text in longest_and_shortest(run) if text != FACT]
    assert at.text_area(key="others").value.splitlines() == others
    n = padded_batch(run, (FACT, *others)).fed_BT.shape[1]
    np.testing.assert_array_equal(look_ahead.visible, np.tril(np.ones((n, n), bool)))
    n_text = len(padded_batch(run, (others[0],)).fed_ids[0])
    given = [label.given for label in look_ahead.columns.labels]
    assert given == [True] * n_text + [False] * (n - n_text)
    assert "This model has no PAD" in said(at)
    assert "padding" not in shown.seen
    # There is but one kind of attention: none is asked for.
    assert not [each for each in at.segmented_control if each.key == "attention"]


@pytest.mark.slow
def test_the_model_is_checked_when_that_is_asked_for(open_masks, open_alone):
    at, _shown = open_masks()
    assert "No fault" not in said(at)
    at.button(key="check_model").click().run()
    assert "**No fault** in any layer of this model:" in said(at)
    assert "Future leak: No output changes when a later token is replaced." in said(at)
    at.button(key="check_model").click().run()
    assert "No fault" not in said(at)
    at, _shown, _run = open_alone("gpt2", "masks", checked="true")
    assert "**No fault**" in said(at)
    assert "Padding leak: Neither a padding mask nor a pad_id is known." in said(at)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "head", "off"),
    [
        ({"attention": "decoder self", "row": "0"}, "decoder.0.self:0", LOOK_AHEAD),
        ({"attention": "cross", "row": "1", "off": "padding mask"}, "decoder.0.cross:0", PADDING),
    ],
)
def test_a_mask_that_is_switched_off_is_left_out_in_the_model(open_lesson, run, asked, head, off):
    at, shown = open_lesson("leaks", others=OTHERS, **asked)
    before, after = panels(at)
    batch, head = padded_batch(run, (TIRED, *OTHERS.splitlines())), Head.parse(head)
    row, without = int(asked["row"]), [Mask(head.kind, off)]
    kept = head_of_batch(run.model, batch, head, row)
    changed = head_of_batch(run.model, batch, head, row, without)
    np.testing.assert_array_equal(before.values, kept.weights_QK)
    np.testing.assert_array_equal(after.values, changed.weights_QK)
    leak = changed.leak.future if off == LOOK_AHEAD else changed.leak.padding
    assert f": **{percent(leak)}** of its attention now" in shown.seen
    losses = {each.without: each.loss for each in mask_losses(run, (), LOSS_SAMPLES)}
    assert (before.limit, after.limit) == (1.0, 1.0)
    cost = f"the loss rises from {losses[()]:.2f} to **{losses[tuple(without)]:.2f}**, since"
    assert cost in shown.seen
    # Only what is switched off has a bar beside that of all masks.
    rows = {row["name"]: row["value"] for row in chart_rows(at)}
    assert rows["all masks"] == losses[()]
    assert rows[f"without the {off} mask"] == losses[tuple(without)]
    assert len(rows) == 2


@pytest.mark.slow
def test_one_sentence_with_all_masks_has_one_map_one_loss_and_no_padding_to_switch_off(open_lesson):
    at, shown = open_lesson("leaks", others=" ", kind="decoder.self", off="")
    assert at.pills(key="off").options == ["without the look-ahead mask"]
    assert len(panels(at)) == 1
    assert [row["name"] for row in chart_rows(at)] == ["all masks"]
    assert "All masks are on" in shown.seen


def test_an_encoder_alone_leaks_to_pad_and_has_no_loss(open_alone):
    at, shown, _run = open_alone("bert", "leaks", row="1")
    before, after = panels(at)
    assert float(after.values[before.values == 0].sum()) > 0
    assert "now goes to padding" in shown.seen
    assert "Nothing is predicted of a text that is only read" in said(at)
    assert not at.get("vega_lite_chart")
