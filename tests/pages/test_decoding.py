from tests.pages.conftest import said


def test_a_sentence_without_words_is_asked_for_again(open_page):
    assert "Type a sentence" in said(open_page("decoding", sentence=" "))
