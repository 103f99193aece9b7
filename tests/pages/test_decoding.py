from tests.pages.conftest import said


def test_a_sentence_without_words_is_asked_for_again(open_page):
    assert "Type a sentence" in said(open_page("decoding", sentence=" "))


def test_a_model_that_the_first_view_is_not_about_opens_on_one_that_is(open_page):
    at = open_page("decoding", model="parallel")
    assert at.segmented_control(key="decoding").value == "passes"
    assert "Pass 1 writes" in said(at)
    # Where the address names a view, that one is shown.
    at = open_page("decoding", model="parallel", decoding="steps")
    assert at.segmented_control(key="decoding").value == "steps"


def test_a_view_that_does_not_apply_links_to_the_one_that_it_names(open_page):
    at = open_page("decoding", model="parallel", decoding="tree", sentence="a b c d")
    [link] = [each.proto for each in at.get("page_link") if each.proto.label == "pass by pass"]
    assert link.page == "decoding"
    found = set(link.query_string.split("&"))
    assert {"decoding=passes", "model=parallel", "sentence=a+b+c+d"} == found
