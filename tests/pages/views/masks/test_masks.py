import numpy as np
import pytest

from core.studies.lessons.masks import padded_batch
from core.studies.opening.examples import longest_and_shortest
from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.masks.conftest import FACT, KINDS, OTHERS, TEXTS, TIRED, panels, texts


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


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_masks, handed_over, kind
):
    at = open_masks(attention=kind, row="1")
    [shown] = handed_over
    assert_takeable(at, shown)
    values = numbers_of(shown, "may_look")
    assert values == [float(each) for panel in panels(at) for each in panel.visible.reshape(-1)]
    assert computed(shown) == values
    assert shown.about["sentence"] == "The cat slept."


def test_it_opens_on_the_typed_sentence_and_counts_what_each_mask_hides(open_masks):
    at = open_masks(attention="decoder self", sentence="The cat slept.")
    assert "Shown is sentence 0: “The cat slept" in said(at)
    padding, look_ahead, received = (~panel.visible for panel in panels(at))
    assert np.array_equal(received, padding | look_ahead)
    text = said(at)
    assert f"**{received.sum()}** of {received.size} cells are hidden" in text
    assert f"{padding.sum()} by the padding mask, {look_ahead.sum()} by the look-ahead mask" in text
    assert f"{(padding & look_ahead).sum()} of them by both" in text
    assert padding.any()


def test_without_other_sentences_nothing_is_padding(open_page):
    at = open_page("masks", attention="encoder.self", sentence="The cat slept.", others=" ")
    assert "**0** of" in said(at)
    assert "0 by the padding mask" in said(at)


def test_a_decoder_without_self_attention_has_no_mask_of_it(open_page, own_random, handed_over):
    own_random(decoder_mixing="gru")
    at = open_page("masks", model="runs/random", sentence="a b c")
    assert handed_over[-1].name == "masks.encoder.self"
    assert "the decoder has no self-attention: what takes its place" in said(at)


def test_a_parallel_decoder_has_no_triangle_and_it_is_said_why(open_page):
    at = open_page("masks", attention="decoder self", model="parallel", sentence="a b c d e f")
    padding, received = panels(at)
    np.testing.assert_array_equal(received.visible, padding.visible)
    assert (received.visible == received.visible[0]).all()
    assert "no look-ahead mask: a parallel decoder is never asked for the next word" in said(at)


@pytest.mark.parametrize("kind", ["gpt2", "llama3"])
def test_a_decoder_without_pad_gets_the_look_ahead_mask_alone(open_alone, handed_over, kind):
    at, run = open_alone(kind, "masks", row="1")
    look_ahead, received = panels(at)
    n = max(len(padded_batch(run, (text,)).fed_ids[0]) for text in (FACT, *TEXTS.splitlines()))
    triangle = np.tril(np.ones((n, n), bool))
    np.testing.assert_array_equal(look_ahead.visible, triangle)
    np.testing.assert_array_equal(received.visible, triangle)
    ids = padded_batch(run, (FACT, *TEXTS.splitlines())).fed_BT[1].tolist()
    assert texts(received.columns) == [token.text for token in run.tokenizer.describe(ids)]
    n_text = len(padded_batch(run, ("it was",)).fed_ids[0])
    given = [label.given for label in received.columns.labels]
    assert given == [True] * n_text + [False] * (n - n_text)
    hidden = n * (n - 1) // 2
    text = said(at)
    assert f"**{hidden}** of {n * n} cells are hidden: {hidden} by the look-ahead mask." in text
    assert "this model has no PAD" in text
    # There is but one kind of attention: nothing is asked.
    assert not [each for each in at.segmented_control if each.key == "attention"]
    [shown] = handed_over
    assert_takeable(at, shown)
    assert computed(shown, run.path.parent.parent) == numbers_of(shown, "may_look")
    assert set(shown.about) == {"sentence"}


def test_an_encoder_alone_gets_the_padding_mask_alone_and_it_is_said_why(open_alone):
    at, run = open_alone("bert", "masks", row="1")
    padding, received = panels(at)
    row = padded_batch(run, (FACT, *TEXTS.splitlines())).source_BS[1].numpy()
    expected = np.broadcast_to(row != run.model.config.pad_id, (len(row), len(row)))
    np.testing.assert_array_equal(padding.visible, expected)
    np.testing.assert_array_equal(received.visible, expected)
    assert "no look-ahead mask: it reads a text that is there as a whole" in said(at)


def test_the_other_sentences_of_one_stack_are_its_longest_and_its_shortest_text(open_alone):
    at, run = open_alone("gpt2", "masks", others=None)
    offered = longest_and_shortest(run)
    assert at.text_area(key="others").value.splitlines() == [t for t in offered if t != FACT]
