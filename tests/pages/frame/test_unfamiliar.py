from tests.pages.conftest import said

TROPHY = "The trophy didn't fit in the suitcase because it was too big."


def test_a_sentence_that_the_grammar_does_not_make_is_said_with_how_long_it_is(open_app):
    text = said(open_app(model="translate-guided", sentence=TROPHY))
    assert "Training used a sentence of the grammar; this is none" in text
    assert "the longest of" not in text
    longer = " ".join(["The animal slept because it was tired and"] * 4)
    text = said(open_app(model="translate-guided", sentence=longer))
    assert "It has 32 words between spaces, the longest of 2,000 training sentences" in text
    assert "Training used" not in said(open_app(model="translate-guided"))


def test_also_where_other_pairs_were_learned_a_far_longer_sentence_is_said_to_be_so(open_app):
    longer = " ".join(["I love you and"] * 9)
    assert "It has 36 words between spaces, the longest of 2,000 training" in said(
        open_app(sentence=longer)
    )
    assert "the longest of" not in said(open_app())


def test_letters_to_copy_are_described(open_app):
    text = said(open_app(model="copy", sentence="a dog"))
    assert "4 to 16 letters from a to z with spaces between them; this is none" in text
    assert "Training used" not in said(open_app(model="copy", sentence="z y x w"))


def test_known_words_that_are_spelled_like_an_unknown_one_are_named(open_app):
    text = said(open_app(model="everyday", sentence="The anmial slept."))
    assert "spelled like “anmial”: animal" in text
    assert "Training used" not in text
