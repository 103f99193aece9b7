import numpy as np
import pytest

from core.heads import Head, Site
from core.studies.lessons.masks import head_of_batch, padded_batch
from core.studies.opening.examples import longest_and_shortest
from tests.pages.conftest import said
from tests.pages.views.lessons.conftest import FACT, OTHERS, TEXTS, TIRED, panels, texts

KINDS = {"encoder self": "encoder", "decoder self": "decoder", "cross": "decoder"}


@pytest.fixture
def open_masks(open_lesson):
    return lambda shown="masks", **query: open_lesson(
        "masks", masks_shown=shown, **{"others": OTHERS} | query
    )


@pytest.mark.parametrize("kind", KINDS)
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
    assert "sentence 1: “The cat slept" in said(at)
    assert shown.about["sentence"] == "The cat slept."


def test_decoder_self_attention_combines_both_masks_and_each_is_counted(open_masks):
    at, shown = open_masks(attention="decoder self", sentence="The cat slept.")
    padding, look_ahead, received = (~panel.visible for panel in panels(at))
    assert np.array_equal(received, padding | look_ahead)
    assert np.array_equal(look_ahead, ~np.tril(np.ones(look_ahead.shape, bool)))
    assert padding.any()
    assert f"**{received.sum()}** of {received.size} cells are hidden" in shown.seen
    each = f"{padding.sum()} by the padding mask, {look_ahead.sum()} by the look-ahead mask"
    assert each in shown.seen
    assert f"{(padding & look_ahead).sum()} of them by both" in shown.seen
    at, _shown = open_masks(attention="cross", row="1")
    padding, received = panels(at)
    np.testing.assert_array_equal(received.visible, padding.visible)


def test_a_batch_of_one_sentence_hides_nothing_in_the_source(open_masks):
    _at, shown = open_masks(attention="encoder self", others=" ")
    assert "**0** of" in shown.seen
    assert "0 by the padding mask" in shown.seen


def test_a_parallel_decoder_has_no_triangle(open_masks):
    at, shown = open_masks(attention="decoder self", model="parallel", sentence="a b c d e f")
    padding, received = panels(at)
    np.testing.assert_array_equal(received.visible, padding.visible)
    assert "may look ahead" in said(at)
    assert "look-ahead" not in shown.formula


def test_a_decoder_without_pad_gets_the_look_ahead_mask_alone(open_alone):
    at, shown, run = open_alone("gpt2", "masks", row="1")
    look_ahead, received = panels(at)
    batch = padded_batch(run, (FACT, *TEXTS.splitlines()))
    n = batch.fed_BT.shape[1]
    np.testing.assert_array_equal(look_ahead.visible, np.tril(np.ones((n, n), bool)))
    np.testing.assert_array_equal(received.visible, look_ahead.visible)
    n_text = len(padded_batch(run, ("it was",)).fed_ids[0])
    given = [label.given for label in received.columns.labels]
    assert given == [True] * n_text + [False] * (n - n_text)
    assert "This model has no PAD" in said(at)
    # There is but one kind of attention: none is asked for.
    assert not [each for each in at.segmented_control if each.key == "attention"]


def test_an_encoder_alone_gets_the_padding_mask_alone(open_alone):
    at, _shown, run = open_alone("bert", "masks", row="1")
    padding, received = panels(at)
    row = padded_batch(run, (FACT, *TEXTS.splitlines())).source_BS[1].numpy()
    expected = np.broadcast_to(row != run.model.config.pad_id, (len(row), len(row)))
    np.testing.assert_array_equal(padding.visible, expected)
    np.testing.assert_array_equal(received.visible, expected)


def test_the_other_sentences_of_one_stack_are_its_longest_and_its_shortest_text(open_alone):
    at, _shown, run = open_alone("gpt2", "masks", others=None)
    offered = longest_and_shortest(run)
    assert at.text_area(key="others").value.splitlines() == [t for t in offered if t != FACT]


def test_another_run_brings_its_own_sentences_and_typed_ones_stay(open_page):
    at = open_page("lessons", lessons="masks")
    first = at.text_area(key="others").value
    at.selectbox(key="model").set_value("copy").run()
    assert at.segmented_control(key="attention").value == "decoder.self"
    assert at.text_area(key="others").value not in ("", first)
    at.text_area(key="others").set_value("\n".join("abcdefghi")).run()
    assert not at.exception
    # The first, and seven more.
    assert "Batch of 8 sentences" in said(at)
    assert at.text_area(key="others").value == "\n".join("abcdefghi")


@pytest.mark.parametrize("kind", KINDS)
def test_scores_become_weights(open_masks, run, kind):
    at, shown = open_masks("scores", attention=kind, row="1", layer="1", head="2")
    scores, masked, weights = panels(at)
    np.testing.assert_array_equal(scores.values, masked.values)
    assert scores.visible is None
    hidden = -np.inf if masked.visible is None else np.where(masked.visible, 0.0, -np.inf)
    exponentials = np.exp(scores.values.astype(np.float64) + hidden)
    wanted = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(weights.values, wanted, atol=1e-6)
    site = Site(KINDS[kind], 1, "cross" if kind == "cross" else "self")
    batch = padded_batch(run, (TIRED, *OTHERS.splitlines()))
    own = head_of_batch(run.model, batch, Head(site, 2), 1)
    np.testing.assert_array_equal(weights.values, own.weights_QK)
    best = scores.values.argmax(axis=-1)
    n = sum(not own.visible_QK[row, key] for row, key in enumerate(best))
    assert f"In **{n}** of {len(best)} rows the largest score is hidden" in shown.seen
    assert shown.about["head"].endswith("head 2")


def test_the_prefix_table_is_the_mask_and_both_compute_the_same(open_masks):
    at, shown = open_masks("prefixes")
    table, mask = panels(at)
    np.testing.assert_array_equal(table.visible, mask.visible)
    fed = texts(mask.columns)
    for row, words in enumerate(table.texts):
        assert [word for word in words if word] == fed[: row + 1]
    n = len(fed)
    cost = f"cost **{n * (n + 1) // 2}** decoder positions, in one masked pass **{n}**"
    assert cost in shown.seen
