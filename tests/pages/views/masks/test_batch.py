from tests.pages.conftest import said
from tests.pages.views.masks.conftest import panels


def test_the_masks_lesson_opens_on_the_attention_that_has_both(open_page):
    at = open_page("masks")
    assert len(panels(at)) == 3
    at.selectbox(key="model").set_value("copy").run()
    assert at.segmented_control(key="attention").value == "decoder.self"


def test_the_sentence_that_is_shown_is_named(open_masks):
    assert "sentence 1: “The cat slept" in said(open_masks(row="1"))


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
    assert "up to 7" in at.text_area(key="others").label


def test_files_name_the_sentence_and_the_head_that_are_shown(open_masks, handed_over):
    open_masks(masks="scores", attention="cross", row="2", layer="1", head="3")
    about = handed_over[-1].about
    assert about["sentence"] == "The dog did not see the house."
    assert about["translation"]
    assert about["head"] == "Decoder layer 1, cross-attention head 3"
