from core.tokenizer.tokenizer import Token
from pages.frame.maps import labels


def test_a_label_says_whether_its_token_goes_on_with_a_word_and_whether_training_saw_it():
    tokens = [Token("zeb", False, 0), Token("ra", False, 0), Token("EOS", True, 1)]
    found = labels(tokens, frozenset([0]))
    assert [(each.text, each.continues, each.unknown, each.special) for each in found] == [
        ("zeb", False, True, False),
        ("ra", True, True, False),
        ("EOS", False, False, True),
    ]
